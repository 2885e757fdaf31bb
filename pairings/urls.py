from django.urls import path

from pairings.views import corrections, drafts, pair, proof, repair

DESK = "t/<slug:slug>/desk/"
ROUND = f"{DESK}rounds/<number:number>/"
DRAFT = f"{ROUND}draft/"

urlpatterns = [
    path(f"{DESK}pair/", pair.pair, name="pair"),
    path(f"{DESK}starting-list/", pair.seeding, name="seeding"),
    path(f"{DESK}starting-list/by-rating/", pair.seed_by_rating, name="seed-by-rating"),
    path(f"{DESK}apart/", pair.prohibited_pairs, name="prohibited-pairs"),
    path(DRAFT, drafts.draft, name="draft"),
    path(f"{DRAFT}swap/", drafts.swap, name="swap"),
    path(f"{DRAFT}swap/part/", drafts.swap_part, name="swap-part"),
    path(f"{DRAFT}lock/", drafts.lock, name="lock-table"),
    path(f"{DRAFT}coin/", drafts.coin_toss, name="coin-toss"),
    path(f"{DRAFT}first/", drafts.first_move, name="first-move"),
    path(f"{DRAFT}table/", drafts.move_match, name="move-match"),
    path(f"{DRAFT}apart/", drafts.prohibit, name="prohibit-pair"),
    path(f"{ROUND}publish/", drafts.publish, name="publish"),
    path(f"{ROUND}again/", drafts.again, name="pair-again"),
    path(f"{ROUND}discard/", drafts.discard, name="discard"),
    path(f"{ROUND}why/", proof.why_not, name="why-not"),
    path(f"{DESK}correct/", corrections.corrections, name="corrections"),
    path(f"{DESK}correct/missing-player/", corrections.missing_player, name="correct-missing"),
    path(f"{DESK}players/<code:code>/correct/", corrections.player, name="correct-player"),
    path(f"{DESK}players/<code:code>/merge/", corrections.merge, name="merge-entry"),
    path(f"{ROUND}players/<code:code>/correct/", corrections.bye, name="correct-bye"),
    path(f"{ROUND}tables/<number:table>/correct/", corrections.result, name="correct"),
    path(f"{ROUND}tables/<number:table>/correct/seats/", corrections.seats, name="correct-seats"),
    path(f"{ROUND}repair/", repair.repair, name="repair"),
    path(f"{ROUND}repaired/", repair.repair_changes, name="repair-changes"),
    path("t/<slug:slug>/rounds/<number:number>/proof/", proof.proof, name="proof"),
]
