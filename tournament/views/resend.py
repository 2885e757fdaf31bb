"""Forms that were not saved because their sender was signed out, to be checked and sent again."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournament.access.fetch import LoginNeeded
from tournament.forms.resend import ResendForm
from tournament.views.accounts import safe_next
from tournament.web.resend import unsent_forms
from tournament.web.staff_pages import see_other


@require_safe
@never_cache
def resend(request: HttpRequest) -> HttpResponse:
    """Each form as it was filled in, with a button that sends it to where it was going."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    following = safe_next(request)
    forms = [
        ResendForm(form["path"], form["fields"], number)
        for number, form in enumerate(unsent_forms(request), start=1)
    ]
    if not forms:
        return see_other(following)
    return render(request, "accounts/resend.html", {"forms": forms, "following": following})
