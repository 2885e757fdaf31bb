"""What a browser sends of its push subscription."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.web.push import is_phone_key, is_public_endpoint


class PushForm(forms.Form):
    """The subscription of this phone; a script fills it in. `stop`: it is to end."""

    endpoint = forms.CharField(max_length=500, widget=forms.HiddenInput)
    p256dh = forms.CharField(max_length=100, required=False, widget=forms.HiddenInput)
    auth = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    stop = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse what is no push service of the open internet, and keys that encrypt nothing."""
        sent = self.cleaned_data
        if not is_public_endpoint(sent.get("endpoint", "")):
            raise forms.ValidationError(
                _("This is not the address of a push service. Try again in another browser.")
            )
        if not sent.get("stop") and not is_phone_key(sent.get("p256dh", ""), sent.get("auth", "")):
            raise forms.ValidationError(_("This browser sent no usable keys. Try again."))
        return sent
