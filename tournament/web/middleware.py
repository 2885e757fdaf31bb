"""Middleware: monitoring, compression, sessions that public pages never touch, sign-in, refusals, parts of pages."""

import logging
import re
import time
from collections.abc import Callable
from functools import cache
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.middleware.gzip import GZipMiddleware
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from tournament.access.fetch import LoginNeeded
from tournament.errors import REFUSED, NeedsConfirmation, Refused
from tournament.monitoring.log_lines import REQUEST_ID, current_id, id_for
from tournament.monitoring.metrics import POLLS, REQUEST_SECONDS, REQUESTS
from tournament.public.response_cache import Handler, is_visit
from tournament.public.responses import accepts_gzip
from tournament.web.error_pages import AWAY, BUSY, CHANGED, PROBLEMS, SOON, Problem, bad_request, error_page
from tournament.web.keyed_forms import BareHiddenInput
from tournament.web.staff_pages import HtmxHttpRequest, return_address

request_log, logger = logging.getLogger("tournament.requests"), logging.getLogger("tournament.web")

METHODS = frozenset({"GET", "HEAD", "POST"})
_unchanged, _changed = POLLS.labels("unchanged"), POLLS.labels("changed")


class Middleware:
    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class MonitoringMiddleware(Middleware):
    """Measure requests. Outermost, so that other middleware's responses count as well."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        name = id_for(request)
        before = current_id.set(name)
        try:
            with timezone.override(None):  # fetching an event activates its time zone: only for this request
                response = self.get_response(request)
            response.headers[REQUEST_ID] = name
            _note(request, response, time.perf_counter() - started)
            return response
        finally:
            current_id.reset(before)


def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    method = request.method if request.method in METHODS else "other"
    page, status = name_page(request), response.status_code
    count, observe = _find_meters(page, method, status)
    count()
    observe(seconds)
    if method == "GET" and "v=" in request.META.get("QUERY_STRING", "") and status in (200, 204):
        (_unchanged if status == 204 else _changed).inc()
    elif method == "POST":
        ms = round(seconds * 1000, 1)
        about = {"method": method, "page": page, "status": status, "ms": ms}
        request_log.info("%s %s: %s in %s ms", method, page, status, ms, extra=about)


@cache
def _find_meters(page: str, method: str, status: int) -> tuple[Callable[[], None], Callable[[float], None]]:
    """Return (counter, timer), cached because looking them up takes longer than counting."""
    return REQUESTS.labels(page, method, status).inc, REQUEST_SECONDS.labels(page).observe


def name_page(request: HttpRequest) -> str:
    """Return the URL name, never the URL, which may contain a player's key."""
    if page := getattr(request, "page", None):  # of an answer that was kept
        return str(page)
    if request.resolver_match:
        return request.resolver_match.view_name or "unnamed"
    return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"


# Media types worth compressing: images and archives are compressed already.
TEXT = re.compile(r"text/|application/[\w.+-]*(json|javascript|xml)|image/svg")
SMALL = 1024  # bytes: one packet either way
# Pages that show a lasting secret: a player's link or code, an invitation, an authenticator key, a seed.
SECRETS = frozenset(
    "entry-link export-archive export-links invite-staff me-link mfa_activate_totp mfa_download_recovery_codes "
    "mfa_view_recovery_codes place-cards print-links snapshot-file".split()
)


class CompressMiddleware(GZipMiddleware):
    """Compress text, with random padding, except pages with a secret: their length could reveal it (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponse) or len(response.content) <= SMALL:
            return response
        page = request.resolver_match and request.resolver_match.view_name
        if page in SECRETS or not TEXT.match(response.get("Content-Type", "")):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        return super().process_response(request, response) if accepts_gzip(request) else response


class RefuseMiddleware(Middleware):
    """Answer a request that tournament/config/rsgi.py refused, such as one whose body is too large."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        status = request.META.get(REFUSED)
        if status == 400:
            return bad_request(request, DisallowedHost())
        if status == 414:
            logger.warning("an address of %s characters was refused", len(request.get_full_path()))
        if status == 503:
            message = _("Too much is being sent at once. Wait 10 seconds, then send it again.")
            return refusal_page(request, Refused(message, status=status))
        return error_page(request, status) if status else self.get_response(request)


class QuietSessionMiddleware(SessionMiddleware):
    """Leave cookies alone on public pages, and answer even if the session cannot be saved."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "public" in response.get("Cache-Control", "") and not request.session.accessed:
            return response
        try:
            return super().process_response(request, response)
        except SessionInterrupted as error:
            cause = error.__context__ and error.__context__.__context__  # of the UpdateError
            is_new = request.session.session_key != request.COOKIES.get(settings.SESSION_COOKIE_NAME)
            if is_new:  # without it no one is signed in
                raise (cause if isinstance(cause, AWAY) else error) from None
            logger.warning("a session was not saved: %s %s: %s", request.method, request.path, cause)
            patch_vary_headers(response, ("Cookie",))
            return response


RENEWED = "renewed"  # session key: time of the last renewal, in seconds
RENEW_AFTER = 10 * 60  # seconds: a scorekeeper who enters 60 results a minute writes the session once in ten


class RenewSessionOnPostMiddleware(Middleware):
    """Renew a signed-in user's 12-hour session only on POSTs, because reading pages must not write."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        session, now = request.session, int(time.time())
        if (
            request.method == "POST"
            and session.accessed
            and not session.is_empty()
            and now - session.get(RENEWED, 0) > RENEW_AFTER
        ):
            session[RENEWED] = now
        return response


class RefusedMiddleware(Middleware):
    """Turn a service's refusal into a 4xx, for htmx in the problem region, and `LoginNeeded` into the login page.

    Some views catch a refusal for a better answer.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not response.content:
            page = error_page(request, 405)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, LoginNeeded):
            return login_page(request)  # type: ignore[arg-type]
        if isinstance(exception, NeedsConfirmation):
            return confirmation_page(request, exception)
        return refusal_page(request, exception) if isinstance(exception, Refused) else None


def refusal_page(request: HttpRequest, error: Refused) -> HttpResponse:
    rows = error.rows()
    problem = CHANGED if rows else BUSY if error.status == 503 else PROBLEMS.get(error.status, PROBLEMS[400])
    template = "_refused.html" if HtmxDetails(request) else ""
    response = error_page(request, error.status, problem, template, message=str(error), rows=rows)
    if error.status == 503:
        response["Retry-After"] = str(SOON)
        request.is_refused = True  # type: ignore[attr-defined]  # for `RefusalFilter`
    return response


def confirmation_page(request: HttpRequest, asked: NeedsConfirmation) -> HttpResponse:
    """Show a form's changes, with the form again to confirm them; for htmx, a fragment for `#problem`."""
    fresh = {"csrfmiddlewaretoken": [get_token(request)], "expects": [asked.expects]}
    sent = (dict(request.POST.lists()) | fresh).items()
    fields = [BareHiddenInput().render(name, value) for name, values in sent for value in values]
    context = {"asked": asked, "sent": fields, "address": request.get_full_path()}
    problem = Problem(_("Other players’ matches change"), "", _("Nothing is saved yet."))
    before = return_address(request)  # type: ignore[arg-type]
    return error_page(request, asked.status, problem, "confirm.html", before=before, **context)


def login_page(request: HtmxHttpRequest) -> HttpResponse:
    """Redirect to the login page; for an htmx part, the page around it too."""
    # The page says so by its address, so that nothing is kept of a stranger.
    unsaved = {"unsaved": 1} if request.method == "POST" else {}
    query = urlencode({"next": return_address(request), **unsaved})
    redirect = HttpResponseRedirect(f"{settings.LOGIN_URL}?{query}")  # refuses an address that is too long
    if not request.htmx:
        return redirect
    headers = {"HX-Redirect": redirect.url}
    return HttpResponse(_("Sign in again."), status=401, content_type="text/plain", headers=headers)


# {URL name of a part: URL name of its page}. A test fails for a part that is missing here.
PART_PAGES = {
    "box-reading": "desk-round",
    "bracket-tree": "bracket",
    "clock-controls": "desk-clock",
    "desk-now": "desk",
    "desk-rows": "desk-round",
    "desk-status": "desk-round",
    "drop-requests": "desk-bracket",
    "judge-tables": "judge",
    "known-players": "add-player",
    "match-row": "desk-round",
    "me-call": "me-entry",
    "player-now": "player",
    "public-now": "public-event",
    "public-pairings": "public-round",
    "ruleset-words": "rulesets",
    "screen-of-part": "screen-of",
    "screen-part": "screen",
    "standing-row": "standing",
    "standings-derivation": "standings-number",
    "standings-table": "standings",
    "swap-part": "swap",
}
NEED_QUERY = ("box-reading", "desk-rows", "known-players", "ruleset-words", "swap-part")
PART_ONLY = ("table",)  # path values that the page of a part does not take
ANSWERED = (200, 204, 400, 409, 422)  # statuses of a part the visitor may see
POLLED = ("v", "since")  # query parameters of polls


class PartsMiddleware(Middleware):
    """Redirect a direct visit to a part to its page, if the visitor may see it."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        page = PART_PAGES.get(match.url_name or "") if match and request.method == "GET" else None
        if match is None or page is None:
            return response
        unasked = match.url_name in NEED_QUERY and not request.GET and "HX-Request" not in request.headers
        if response.status_code in ANSWERED and (unasked or is_visit(request)):
            values = {name: value for name, value in match.kwargs.items() if name not in PART_ONLY}
            query = urlencode([pair for pair in request.GET.items() if pair[0] not in POLLED])
            response = HttpResponseRedirect(reverse(page, kwargs=values) + (f"?{query}" if query else ""))
            add_never_cache_headers(response)  # at the part's address others keep the part
        return response
