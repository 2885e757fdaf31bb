"""Forms sent after the sender's session had ended: kept, so that they can be sent again after signing in.

They stay in the session of a device that has signed in before (a stranger's forms are not kept), for that user only,
and never hold a password or a file. The form's own key goes with it, so that it is done once at most.
"""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest

from tournament.access.throttle import known_name

IN_SESSION = "unsent"
MOST = 10  # forms
LONGEST = 64 * 1024  # characters of one form
PAGE_FIELDS = {"key", "version", "seen", "round", "number"}  # filled in by the page, not by the person


def keep_form(request: HttpRequest) -> None:
    """Keep a posted form if its sender can sign in here."""
    name = known_name(request)
    if request.method != "POST" or not name or request.FILES:
        return
    fields = {field: values for field, values in request.POST.lists() if field != "csrfmiddlewaretoken"}
    if any("password" in field for field in fields) or len(urlencode(fields, doseq=True)) > LONGEST:
        return
    item = {"path": request.get_full_path(), "fields": fields, "name": name}
    request.session[IN_SESSION] = [
        *(old for old in request.session.get(IN_SESSION, []) if old != item),
        item,
    ][-MOST:]


def unsent_forms(request: HttpRequest) -> list[dict[str, Any]]:
    """The forms kept for the signed-in user or, before sign-in, for the last user of this device."""
    name = request.user.get_username() if request.user.is_authenticated else known_name(request)
    return [item for item in request.session.get(IN_SESSION, []) if item["name"] == name]


def forget_form(request: HttpRequest) -> None:
    """Forget a form that was sent now."""
    forms = request.session.get(IN_SESSION)
    if forms:
        path, key = request.get_full_path(), request.POST.getlist("key")
        left = [item for item in forms if item["path"] != path or item["fields"].get("key", []) != key]
        request.session[IN_SESSION] = left
