"""A ruleset tried on the events of this installation: page by page, with JavaScript automatically."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from standings.rulesets.trial.events import TrialTotals, events_visible_to, next_batch, try_on_event
from tournament.access.fetch import visible_rulebook
from tournament.actionlog.change import digest_of
from tournament.models import Rulebook
from tournament.services.rulebooks import whole_profile
from tournament.web.staff_pages import private_view, read_number

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
    rulebook, version, profile = _rules(request, key)
    tournament = events_visible_to(request.user).filter(slug=slug).first()
    if tournament is None:
        raise Http404
    context = {
        "rulebook": rulebook,
        "version": version,
        "profile": profile,
        "trial": try_on_event(tournament, profile, moves=True),
    }
    return render(request, "standings/trial/event.html", context)


def _rules(request: HttpRequest, key: str) -> tuple[Rulebook, str, dict[str, Any]]:
    """(rulebook, "draft" or the number of a version, its profile). Raises Http404.

    Without `?version=` one's own draft, else the newest version. Only its publisher's members see a draft.
    """
    rulebook: Any = visible_rulebook(request, key)
    has_draft = _has_draft(rulebook)
    version = request.GET.get("version") or (DRAFT if has_draft else "")
    if version == DRAFT:
        if not has_draft:
            raise Http404
        return rulebook, DRAFT, whole_profile(rulebook.draft, rulebook.key)
    versions = rulebook.versions.order_by("-version")
    ruleset = (versions.filter(version=read_number(request, "version")) if version else versions).first()
    if ruleset is None:
        raise Http404
    return rulebook, str(ruleset.version), ruleset.profile


def _batch_context(request: HttpRequest, key: str) -> dict[str, Any]:
    """The next events, and the totals so far, which the address carries on signed."""
    rulebook, version, profile = _rules(request, key)
    salt = f"try {request.user.pk} {rulebook.key} {version} {digest_of(profile)}"
    before, totals = _totals_so_far(request.GET.get("so_far", ""), salt)
    events, last, count = next_batch(request.user, before)
    trials = [try_on_event(tournament, profile) for tournament in events]
    for trial in trials:
        totals.add(trial)
    following = ""
    if last is not None:
        token = signing.dumps([last, totals.differ, totals.compared, totals.unable], salt=salt)
        following = urlencode({"version": version, "so_far": token})
    return {
        "rulebook": rulebook,
        "version": version,
        "profile": profile,
        "versions": [*([DRAFT] if _has_draft(rulebook) else []), *_numbers(rulebook)],
        "trials": trials,
        "totals": totals,
        "count": count,
        "following": following,
        "page_url": reverse("try-order", args=[rulebook.key]),
    }


def _totals_so_far(token: str, salt: str) -> tuple[int | None, TrialTotals]:
    """Where to continue and the totals up to there; from the start where the token is not ours."""
    try:
        before, differ, compared, unable = signing.loads(token, salt=salt) if token else (None, 0, 0, 0)
    except signing.BadSignature:
        return None, TrialTotals()
    return before, TrialTotals(differ, compared, unable)


def _has_draft(rulebook: Any) -> bool:
    """Whether there is a draft that this user may see."""
    return rulebook.role is not None and rulebook.draft is not None


def _numbers(rulebook: Rulebook) -> list[str]:
    return [
        str(number) for number in rulebook.versions.order_by("-version").values_list("version", flat=True)
    ]
