"""Addresses of pairings: drafts and their edits, repairs, questions, the public proof of a round."""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number and code)
from pairings.views import apart, drafts, edits, questions, repairs, starting

DESK = "t/<slug:slug>/desk/"
ROUND = f"{DESK}rounds/<number:number>/"
DRAFT = f"{ROUND}draft/"

urlpatterns = [
    path(f"{DESK}pair/", drafts.pair, name="pair"),
    path(f"{DESK}rounds-check/", questions.rounds_check, name="rounds-check"),
    path(f"{DESK}rounds-check/part/", questions.rounds_check_part, name="rounds-check-part"),
    path(f"{DESK}starting-list/", starting.starting_list, name="starting-list"),
    path(f"{DESK}starting-list/by-rating/", starting.by_rating, name="starting-by-rating"),
    path(f"{DESK}apart/", apart.apart, name="apart"),
    path(DRAFT, drafts.draft, name="draft"),
    path(f"{DRAFT}swap/", edits.swap_players, name="swap"),
    path(f"{DRAFT}swap/part/", edits.swap_part, name="swap-part"),
    path(f"{DRAFT}lock/", edits.lock, name="lock-table"),
    path(f"{DRAFT}coin/", edits.coin, name="coin"),
    path(f"{DRAFT}first/", edits.first, name="first-move"),
    path(f"{DRAFT}apart/", edits.forbid, name="forbid-pair"),
    path(f"{ROUND}publish/", drafts.publish, name="publish"),
    path(f"{ROUND}again/", drafts.again, name="pair-again"),
    path(f"{ROUND}discard/", drafts.discard, name="discard"),
    path(f"{ROUND}why/", questions.why, name="why-not"),
    path(f"{ROUND}why/part/", questions.why_part, name="why-not-part"),
    path(f"{ROUND}repair/", repairs.repair, name="repair"),
    path(f"{ROUND}repaired/", repairs.repaired, name="repaired"),
    path("t/<slug:slug>/rounds/<number:number>/proof/", questions.proof, name="proof"),
]
