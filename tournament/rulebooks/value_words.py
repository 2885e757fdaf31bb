"""Words for the values that a field of a ruleset may hold."""

from typing import Any

from django.utils.translation import gettext_lazy as _

Words = dict[Any, Any]

CONFIDENCE: Words = {
    "source": _("from the publisher's own text"),
    "official+secondary": _("partly from the publisher's own text, partly from quotations"),
    "official-2022": _("from the publisher's own text of 2022"),
    "official-old": _("from an older text by the publisher"),
    "federation": _("from the federation's own text"),
    "event-rules": _("from the rules of single events"),
    "events": _("as published events were ranked"),
    "platform": _("as the publisher's platform computes it"),
    "secondary": _("from quotations of the publisher's text"),
    "community": _("as players describe it"),
    "house": _("custom rules: their publisher answers for them"),
    "memory": _("from memory: check before you rely on it"),
}
LENGTHS: Words = {
    1: _("1 game"),
    3: _("best of 3"),
    5: _("best of 5"),
    "exactly_2": _("exactly 2 games"),
}
MATCH_MODES: Words = {
    "points": _("match points out of those possible"),
    "wins": _("matches won out of those played"),
    "wins_half_draws": _("matches won plus half the draws, out of those played"),
}
GAME_MODES: Words = {
    "points": _("game points out of those possible"),
    "wins": _("games won out of those played"),
}
METHODS: Words = {
    "random_in_score_group": _("randomly within each score group"),
    "top_half_vs_bottom_half": _("top half of each score group against its bottom half"),
    "adjacent_by_rank": _("adjacent players in the standings"),
    "dutch": _("Dutch (FIDE); paired randomly here"),
    "mcmahon": _("McMahon; paired randomly here"),
    "king_of_the_hill": _("king of the hill; paired randomly here"),
    "win_path_then_random": _("by win path; paired randomly here"),
}
PLACEMENTS: Words = {
    "swiss_seed_within_round": _("by Swiss rank"),
    "shared": _("in a shared place"),
    "round_then_points_then_lost_to_placement": _(
        "by points scored in the bracket, then by the place of the player who beat them"
    ),
}
FIRST_ROUNDS: Words = {
    "random": _("randomly"),
    "rating_halves": _("top half by rating against the bottom half"),
    "seed": _("top half by seed against the bottom half"),
}
OBJECTIVES: Words = {
    "balance": _("the smallest sum of squares: 2 pairs 1 point apart before 1 pair 2 points apart"),
    "protect_top": _("the smallest from the top score group down"),
}
CRITERIA: Words = {
    "repeats": _("no rematches"),
    "bye": _("no repeat bye, the bye in the lowest score group"),
    "score_difference": _("small score differences"),
    "pair_downs": _("no one paired down or up again"),
    "side_limits": _("no one on one side 3 times in a row"),
    "not_same_side_all_rounds": _("no one on the same side every round"),
    "labels_apart": _("players who share a label kept apart"),
    "fold": _("top half against bottom half"),
    "adjacent": _("neighbors by rank"),
    "alternate_sides": _("everyone alternates sides"),
}
FIRST_ROUND_MOVES: Words = {
    "coin_then_alternate_boards": _("a coin toss for the first table; the other tables alternate"),
}
BYE_PLAYERS: Words = {
    "lowest_score_group_random": _("a random player in the lowest score group"),
    "lowest_score_group": _("the player in the lowest score group whom halves or neighbors leave over"),
    "lowest_rank": _("the last player by seed in the lowest score group"),
}
WALKOVERS: Words = {
    "opponent": _("the opponent"),
    "highest_ranked_remaining_gets_bye": _("the best seed still to play"),
}
DRAW_RULES: Words = {
    "not_allowed": _("not allowed"),
    "higher_seed": _("the better seed advances"),
    "replay_colours_swapped_else_higher_seed": _(
        "played again with the other player moving first; if time is short, the better seed advances"
    ),
}
REPLAY_PARTS: Words = {
    "min_minutes_per_player": _("minimum minutes for each player"),
    "delay_s_per_move": _("seconds of delay per move"),
    "min_remaining_minutes_for_later_rounds": _("minutes kept for later rounds"),
}
FIRST_MOVES: Words = {
    "not_same_all_rounds": _("no one on the same side every round"),
    "alternate": _("everyone alternates sides"),
    "higher_seed_precedence": _("the better seed has precedence"),
}
FIDE_VERSIONS: Words = {
    2009: _("2009 to 2022: a virtual opponent for unplayed rounds"),
    2023: _("2023 to February 2026: the player's own score for unplayed rounds"),
    2026: _("from March 2026: the player's own score for unplayed rounds, capped"),
}
