"""Addresses of pairings: drafts and their edits, repairs, questions, the public proof of a round."""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number and code)
from pairings.views import draft_edits, drafts, prohibited_pairs, questions, repair, seeding

DESK = "t/<slug:slug>/desk/"
ROUND = f"{DESK}rounds/<number:number>/"
DRAFT = f"{ROUND}draft/"

urlpatterns = [
    path(f"{DESK}pair/", drafts.pair, name="pair"),
    path(f"{DESK}rounds-check/", questions.rounds_check, name="rounds-check"),
    path(f"{DESK}rounds-check/part/", questions.rounds_check_part, name="rounds-check-part"),
    path(f"{DESK}starting-list/", seeding.starting_list, name="starting-list"),
    path(f"{DESK}starting-list/by-rating/", seeding.by_rating, name="starting-by-rating"),
    path(f"{DESK}apart/", prohibited_pairs.apart, name="apart"),
    path(DRAFT, drafts.draft, name="draft"),
    path(f"{DRAFT}swap/", draft_edits.swap_players, name="swap"),
    path(f"{DRAFT}swap/part/", draft_edits.swap_part, name="swap-part"),
    path(f"{DRAFT}lock/", draft_edits.lock, name="lock-table"),
    path(f"{DRAFT}coin/", draft_edits.coin, name="coin"),
    path(f"{DRAFT}first/", draft_edits.first, name="first-move"),
    path(f"{DRAFT}apart/", draft_edits.forbid, name="forbid-pair"),
    path(f"{ROUND}publish/", drafts.publish, name="publish"),
    path(f"{ROUND}again/", drafts.again, name="pair-again"),
    path(f"{ROUND}discard/", drafts.discard, name="discard"),
    path(f"{ROUND}why/", questions.why, name="why-not"),
    path(f"{ROUND}why/part/", questions.why_part, name="why-not-part"),
    path(f"{ROUND}repair/", repair.repair, name="repair"),
    path(f"{ROUND}repaired/", repair.repaired, name="repaired"),
    path("t/<slug:slug>/rounds/<number:number>/proof/", questions.proof, name="proof"),
]
