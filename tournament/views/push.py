"""The button on the own page that subscribes this phone to notifications."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from tournament.access.fetch import own_entry
from tournament.errors import Refused
from tournament.forms.push import PushForm
from tournament.models import Entry
from tournament.services.push import subscribe_phone, unsubscribe_phone
from tournament.views.self_service import player_view
from tournament.web.push import Phone, server_key
from tournament.web.staff_pages import first_error, report_success


@player_view("POST")
def push(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Subscribe this phone, or end its subscription. Raises Refused for what is no subscription, and without https."""
    _tournament, entry = own_entry(request, slug, code)
    form = PushForm(request.POST)
    if not settings.HTTPS:
        raise Refused(_("This site is not encrypted, so browsers take no notifications from it."), status=409)
    if not form.is_valid():
        raise Refused(first_error(form), status=422)
    sent = form.cleaned_data
    if sent["stop"]:
        unsubscribe_phone(entry, sent["endpoint"])
        words = _("This phone tells you nothing anymore.")
    else:
        subscribe_phone(entry, Phone(sent["endpoint"], sent["p256dh"], sent["auth"]))
        words = _("This phone tells you when you are paired.")
    return report_success(request, words, "me-entry", slug, code)


def push_context(entry: Entry) -> dict[str, Any]:
    """What the own page needs for the button: nothing where there is no https."""
    if not settings.HTTPS:
        return {}
    phones = entry.push_subscriptions.values_list("endpoint", flat=True)
    return {"push": PushForm(auto_id=False), "push_key": server_key(), "push_phones": " ".join(phones)}
