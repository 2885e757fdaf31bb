"""A ruleset tried on the events of this installation: page by page, with JavaScript automatically."""

from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from standings.rulesets.trial.events import events_visible_to, next_batch, try_on_event
from tournament.access.fetch import visible_rulebook
from tournament.actionlog.change import digest_of
from tournament.services.rulebooks import whole_profile
from tournament.web.staff_pages import private_view

DRAFT = "draft"


@private_view("GET", signed_in=True)
def try_order(request: HttpRequest, key: str) -> HttpResponse:
    """The ruleset on the newest events, and a way to continue with the rest."""
    return render(request, "standings/trial/trial.html", _batch_context(request, key))


@private_view("GET", signed_in=True)
def more(request: HttpRequest, key: str) -> HttpResponse:
    """The next events, as a part of that page."""
    return render(request, "standings/trial/_batch.html", {**_batch_context(request, key), "part": True})


@private_view("GET", signed_in=True)
def one_event(request: HttpRequest, key: str, slug: str) -> HttpResponse:
    """The ruleset on one event, with everyone whose rank changes."""
    rules = _rules_context(request, key)
    tournament = events_visible_to(request.user).filter(slug=slug).first()
    if tournament is None:
        raise Http404
    trial = try_on_event(tournament, rules["profile"])
    return render(request, "standings/trial/event.html", {**rules, "trial": trial})


def _rules_context(request: HttpRequest, key: str) -> dict[str, Any]:
    """The rulebook, its versions ("draft" or numbers), the `version` that is tried and its profile. Raises Http404.

    Without `?version=` one's own draft, else the newest version. Only its publisher's members see a draft.
    """
    rulebook: Any = visible_rulebook(request, key)
    profiles = {str(ruleset.version): ruleset.profile for ruleset in rulebook.versions.order_by("-version")}
    if rulebook.role is not None and rulebook.draft is not None:
        profiles = {DRAFT: whole_profile(rulebook.draft, rulebook.key), **profiles}
    version = request.GET.get("version") or next(iter(profiles), "")
    if version not in profiles:
        raise Http404
    return {
        "rulebook": rulebook,
        "versions": list(profiles),
        "version": version,
        "profile": profiles[version],
    }


def _batch_context(request: HttpRequest, key: str) -> dict[str, Any]:
    """The next events, and the totals so far, which the address carries on signed."""
    rules = _rules_context(request, key)
    salt = f"try {request.user.pk} {rules['rulebook'].key} {rules['version']} {digest_of(rules['profile'])}"
    before, differ, compared, unable = _progress_of(request.GET.get("so_far", ""), salt)
    events, last, count = next_batch(request.user, before)
    trials = [try_on_event(tournament, rules["profile"]) for tournament in events]
    differ += sum(bool(trial.changes) for trial in trials)
    compared += sum(not trial.trouble for trial in trials)
    unable += sum(bool(trial.trouble) for trial in trials)
    following = ""
    if last is not None:
        token = signing.dumps([last, differ, compared, unable], salt=salt)
        following = urlencode({"version": rules["version"], "so_far": token})
    return {
        **rules,
        "trials": trials,
        "differ": differ,
        "compared": compared,
        "unable": unable,
        "count": count,
        "following": following,
    }


def _progress_of(token: str, salt: str) -> tuple[int | None, int, int, int]:
    """Where to continue and the totals up to there; from the start where the token is not ours."""
    try:
        return signing.loads(token, salt=salt) if token else (None, 0, 0, 0)
    except signing.BadSignature:
        return None, 0, 0, 0
