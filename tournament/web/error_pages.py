"""Error pages. They use no database, session, user or host, because one of these may have failed. Logs 500 and 503."""

import logging
import sys
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.log import log_response
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_htmx.http import reswap, retarget
from django_htmx.middleware import HtmxDetails
from redis.exceptions import RedisError

from tournament.monitoring.installation import is_about_full_disk, is_disk_full
from tournament.monitoring.log_lines import current_id

logger = logging.getLogger("django.request")

AWAY = (OperationalError, InterfaceError, RedisError)  # locked, full, restarting or unreachable
SOON = 10  # seconds: when to try again while the database is away
TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
BARE = "<!doctype html><title>Error</title><h1>Something broke on our side</h1><p>Reference: %s</p>"


class Problem(NamedTuple):
    what: Any  # title and heading of the page
    todo: Any
    kept: Any = _("Nothing was changed.")


_UNSAVED = _("Everything saved earlier is safe; this last step may not have been saved.")
BUSY = Problem(_("The server is busy"), "")
CHANGED = Problem(
    _("Someone else changed this while you were working"),
    _("Go back, reload the page, and decide which version is right."),
    _("Your change was not saved."),
)
DISK_FULL = Problem(
    _("The disk of the server is full"),
    _("Free some space on the server. Then go back and send it again."),
    _("Everything saved earlier is safe. Nothing more can be saved."),
)
OLD_FORM = Problem(
    _("This form has expired"),
    _(
        "Go back, reload the page, and send the form again. If this keeps happening, allow cookies for this site."
    ),
)
TOO_MANY_REGISTRATIONS = Problem(
    _("Too many registrations from this network"),
    _(
        "Go back in 10 minutes and send the form again, or ask at the event desk: staff can add you right away."
    ),
    _("You are not registered yet."),
)
PROBLEMS = {
    400: Problem(
        _("This request could not be understood"), _("Go back, check what you entered, and send it again.")
    ),
    403: Problem(
        _("You do not have access to this page"),
        _("Sign in as a member of this event's staff, or ask an organizer for an invitation."),
    ),
    404: Problem(_("Page not found"), _("Check the address, or look for the event in the list.")),
    405: Problem(
        _("This address cannot be opened as a page"),
        _("This address only accepts forms. Go back to the page with the button and press it there."),
    ),
    408: Problem(
        _("The request did not arrive in time"), _("Check your connection, go back, and send it again.")
    ),
    409: Problem(
        _("Not possible right now"),
        _("Go back and reload the page to see what you can do now."),
        _("Your change was not saved."),
    ),
    411: Problem(_("The request does not say how long it is"), _("Send it with its length, as browsers do.")),
    413: Problem(
        _("Too much was sent at once"),
        format_lazy(
            _("The server accepts at most {most} MB. Send it in parts."),
            most=settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2,
        ),
    ),
    414: Problem(_("This address is too long"), _("Go back, and try again with less text.")),
    429: Problem(_("Too many attempts"), _("Wait a few minutes, then try again.")),
    500: Problem(
        _("Something broke on our side"),
        _(
            "Go back, check whether it was saved, and try again if it was not. If this keeps happening, give the "
            "reference to the person who runs this server: the server log has the details."
        ),
        _UNSAVED,
    ),
    503: Problem(
        _("The server is not ready"),
        _(
            "Wait 10 seconds, go back, and send it again: what is already saved is not saved twice. If the problem "
            "lasts, /readyz shows what is missing."
        ),
        _UNSAVED,
    ),
}


def error_page(
    request: HttpRequest, status: int, problem: Problem | None = None, template: str = "", **context: Any
) -> HttpResponse:
    """Render the page for a status or problem; for htmx, the part for `#problem`."""
    part = bool(HtmxDetails(request))  # also for requests that never reached HtmxMiddleware
    layout = "error_part.html" if part else "error.html"
    context |= (problem or PROBLEMS[status])._asdict()
    context |= {"layout": layout, "installation_name": settings.SITE_NAME}
    body = render_to_string(template or layout, context)
    response = HttpResponse(body, status=status, headers={"Cache-Control": "no-store"})
    return reswap(retarget(response, "#problem"), "innerHTML") if part else response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, TOO_MUCH):
        return error_page(request, 413)
    if isinstance(exception, DisallowedHost):
        before, after = gettext(
            "Open the site at %(address)s. If this machine has a new address, restart the server. "
            "To allow more host names, set ALLOWED_HOSTS."
        ).split("%(address)s")
        url = settings.SITE_URL
        todo = format_html('{}<a href="{}/">{}</a>{}', before, url, url, after)
        problem = PROBLEMS[400]._replace(todo=todo)
        message = gettext("This server does not answer at that address.")
        return error_page(request, 400, problem, message=message)
    return error_page(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_page(request, 403, OLD_FORM)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an uncaught error with 503 if the database is unavailable, else with 500. Both are logged."""
    error = sys.exc_info()[1]
    full = is_about_full_disk(error) or (isinstance(error, AWAY) and is_disk_full())
    status = 503 if full or isinstance(error, AWAY) else 500
    reference = current_id.get()
    try:
        response = error_page(request, status, DISK_FULL if full else None, reference=reference)
    except Exception:  # the page's own template or stylesheet may be missing
        logger.exception("no error page could be made")
        response = HttpResponse(BARE % reference, status=status, headers={"Cache-Control": "no-store"})
    if status == 503:
        response["Retry-After"] = str(SOON)
    log_response(
        "%s %s %s", status, request.method, request.path, response=response, request=request, exception=error
    )
    return response
