"""Error pages without database, session, user or host, which may be what failed. 500 and 503 are logged."""

import logging
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.log import log_response
from django.utils.translation import gettext as _
from django_htmx.http import reswap, retarget
from django_htmx.middleware import HtmxDetails

from tournament.monitoring.log_lines import current_id
from tournament.web.disk import is_about_full_disk, is_disk_full

logger = logging.getLogger("django.request")

AWAY = (OperationalError, InterfaceError)  # the database is locked, full, restarting or unreachable
SOON = 10  # seconds: when to try again while the database is away
TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
BARE = "<!doctype html><title>Error</title><h1>Something broke on our side</h1><p>Reference: %s</p>"


def error_page(request: HttpRequest, status: int, template: str = "", **context: Any) -> HttpResponse:
    """Render the page of that status, or of `template`; for htmx the part for `#problem`."""
    part = bool(HtmxDetails(request))  # also for requests that never reached HtmxMiddleware
    layout = "error_part.html" if part else "error.html"
    context |= {"layout": layout, "status": status, "installation_name": settings.SITE_NAME}
    body = render_to_string(template or f"{status}.html", context)
    response = HttpResponse(body, status=status, headers={"Cache-Control": "no-store"})
    return reswap(retarget(response, "#problem"), "innerHTML") if part else response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, TOO_MUCH):
        return refused_body(request, 413)
    if isinstance(exception, DisallowedHost):
        message = _("This server does not answer at that address.")
        return error_page(request, 400, message=message, elsewhere=settings.SITE_URL)
    return error_page(request, 400)


def refused_body(request: HttpRequest, status: int) -> HttpResponse:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2
    return error_page(request, status, "refused_body.html", most=most)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_page(request, 403, "403_csrf.html")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 404)


def too_many_attempts(
    request: HttpRequest, credentials: Any = None, *args: Any, **kwargs: Any
) -> HttpResponse:
    """Answer 429 after too many wrong passwords, as django-axes calls it."""
    response = error_page(request, 429)
    response["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an uncaught error: 503 if the database is unavailable, else 500. Both are logged."""
    error = sys.exc_info()[1]
    full = is_about_full_disk(error) or (isinstance(error, AWAY) and is_disk_full())
    status = 503 if full or isinstance(error, AWAY) else 500
    reference = current_id.get()
    try:
        response = error_page(request, status, reference=reference, full=full)
    except Exception:  # the page's own template or stylesheet may be missing
        logger.exception("no error page could be made")
        response = HttpResponse(BARE % reference, status=status, headers={"Cache-Control": "no-store"})
    if status == 503:
        response["Retry-After"] = str(SOON)
    log_response(
        "%s %s %s", status, request.method, request.path, response=response, request=request, exception=error
    )
    return response
