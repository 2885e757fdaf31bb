"""What was typed before the session was over, to be looked at and sent again."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournament.access.fetch import LoginNeeded
from tournament.views.accounts import safe_next
from tournament.web.resend import MARKS, unsent_forms
from tournament.web.staff_pages import see_other


@require_safe
@never_cache
def unsent_forms_page(request: HttpRequest) -> HttpResponse:
    """Each form as it was filled in, with a button that sends it to where it was going."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    wanted = safe_next(request)
    kept = unsent_forms(request)
    if not kept:
        return see_other(wanted)
    forms = [
        {
            "path": item["path"],
            "hidden": [(name, value) for name, value in _values(item) if name in MARKS],
            "shown": [
                {
                    "name": name,
                    "label": name.replace("_", " "),
                    "value": value,
                    "lines": value.count("\n") + 1,
                }
                for name, value in _values(item)
                if name not in MARKS
            ],
        }
        for item in kept
    ]
    title = _("Not sent yet")
    return render(request, "accounts/resend.html", {"forms": forms, "wanted": wanted, "title": title})


def _values(item: dict) -> list[tuple[str, str]]:
    return [(name, value) for name, values in item["fields"].items() for value in values]
