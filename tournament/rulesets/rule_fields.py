"""Words for the editable fields of `tournament.rulesets.schema`: labels, values, and the effect of empty ones."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.rulesets import fide_version_on, list_fide_versions
from tournament.rulesets.schema import FIELD_AT

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
    "secondary": _("based on published quotations of the rules"),
    "community": _("as players describe it"),
    "house": _("custom rules, published by an organizer"),
    "memory": _("from memory: check before you rely on it"),
}
LENGTHS: Words = {1: _("1 game"), 3: _("best of 3"), 5: _("best of 5"), "exactly_2": _("exactly 2 games")}
METHODS: Words = {
    "random_in_score_group": _("randomly within each score group"),
    "top_half_vs_bottom_half": _("top half of each score group against its bottom half"),
    "adjacent_by_rank": _("adjacent players in the standings"),
    "dutch": _("Dutch (FIDE); paired randomly here"),
    "mcmahon": _("McMahon; paired randomly here"),
    "king_of_the_hill": _("king of the hill; paired randomly here"),
    "win_path_then_random": _("by win path; paired randomly here"),
    "round_robin": _("round robin; paired as Swiss rounds here"),
    "pods": _("tables of 4; paired 1 against 1 here"),
}
# {metric that ranks: score that its games also pair by}.
PAIRED_BY_POINTS: Words = {
    "mms": _("ranked by McMahon score; paired by match points here"),
    "victory_points": _("ranked by victory points; paired by match points here"),
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
    "side_limits": _("no one on one side too often"),
    "not_same_side_all_rounds": _("no one on the same side every round"),
    "labels_apart": _("players who share a label kept apart"),
    "fold": _("top half against bottom half"),
    "adjacent": _("neighbors by rank"),
    "alternate_sides": _("everyone alternates sides"),
}


@dataclass(frozen=True, slots=True)
class RuleField:
    """An editable field. `words`: for its values; `empty`: the effect of an empty value.

    `inner`: words for the items of a list, or labels for the parts of an object (then `empty` is per part).
    """

    path: str
    label: Any
    empty: Any = ""
    words: Any = None
    hint: Any = ""
    inner: Any = None

    @property
    def kind(self) -> str:
        """The kind of input in the editor: `choice` for a text with `words`, else the schema's kind.

        Fields that may be empty have their own kinds:

        follows  a number, or empty for what `empty` says
        share    a number, or empty for none
        yes_no   yes, no, or empty for what `empty` says

        Two of the schema's kinds are lists: `ordered`, of known words, and `parts`, of named whole numbers.
        """
        field = FIELD_AT[self.path]
        if field.kind.name == "switch" and self.empty:
            return "yes_no"
        if field.kind.name == "text" and self.words:
            return "choice"
        if field.kind.name in ("number", "positive", "share"):
            return {"refused": "number", "follows": "follows", "none": "share"}[field.empty]
        return field.kind.name


PER_GAME = _("Only if they are awarded per game.")
NO_LIMIT = _("Leave empty for no limit. Kept where score differences allow it.")
GROUPS: list[tuple[Any, list[RuleField]]] = [
    (_("About"), [
        RuleField("name", _("Name")),
        RuleField("source", _("Source of the rules"), hint=_("Document, edition, address.")),
        RuleField("confidence", _("Confidence"), words=CONFIDENCE),
    ]),
    (_("Match points"), [
        RuleField("match_points.win", _("Match points for a win")),
        RuleField("match_points.draw", _("Match points for a draw")),
        RuleField("match_points.loss", _("Match points for a loss")),
        RuleField("match_points.bye", _("Match points for a bye"), _("as a win")),
        RuleField("match_points.awarded_bye", _("Match points for an awarded bye"), _("as a bye")),
        RuleField("match_points.requested_full", _("Match points for a full-point bye"), _("as a bye")),
        RuleField("match_points.requested_half", _("Match points for a half-point bye")),
        RuleField("match_points.requested_zero", _("Match points for a zero-point bye")),
        RuleField("match_points.forfeit_win", _("Match points for a win by no-show"), _("as a win")),
        RuleField("match_points.forfeit_loss", _("Match points for a no-show"), _("as a loss")),
        RuleField("match_points.double_loss", _("Match points for a double loss"), _("as a loss")),
        RuleField("match_points.missed_round", _("Match points for a missed round"), _("as a loss")),
        RuleField("match_points.draw_ahead", _("Match points for a draw with more games won"),
                  _("as a draw")),
        RuleField("match_points.draw_behind", _("Match points for a draw with fewer games won"),
                  _("as a draw")),
        RuleField("match_points.mode", _("Match points are awarded"), _("per match"),
                  words={"per_game": _("per game")}),
        RuleField("match_points.game_win", _("Match points for each game won"), _("3"), hint=PER_GAME),
        RuleField("match_points.game_draw", _("Match points for each drawn game"), _("1"), hint=PER_GAME),
        RuleField("match_points.game_loss", _("Match points for each game lost"), _("0"), hint=PER_GAME),
        RuleField("match_points.sweep_bonus", _("Bonus for winning every game"), _("0"), hint=PER_GAME),
    ]),
    (_("Games"), [
        RuleField("game_points.win", _("Game points for a win")),
        RuleField("game_points.draw", _("Game points for a drawn game")),
        RuleField("game_points.loss", _("Game points for a loss")),
        RuleField("best_of_swiss", _("Length of a Swiss match"), words=LENGTHS),
        RuleField("best_of_elim", _("Length of a bracket match"), words=LENGTHS),
        RuleField("unfinished_games", _("A game unfinished when time runs out"), _("is a drawn game"),
                  words={"void": _("is not counted")}),
        RuleField("turns_after_time", _("Turns after time is up"), _("none")),
        RuleField("bye_games", _("Games for a bye: won, lost, drawn"), _("the games needed to win a match")),
        RuleField("forfeit_games", _("Games for a forfeit: won, lost, drawn"),
                  _("the games needed to win a match")),
        RuleField("team_ignores_games", _("Team events skip everything that counts games")),
        RuleField("records_scores", _("Points scored in matches are recorded"),
                  _("if a tiebreaker needs them")),
    ]),
    (_("Draws"), [
        RuleField("draws_allowed.match", _("A match may be drawn")),
        RuleField("draws_allowed.intentional", _("Players can agree to an intentional draw")),
        RuleField("draws_allowed.double_loss", _("Time can run out into a double loss")),
    ]),
    (_("Percentages"), [
        RuleField("percentages.match_mode", _("Match-win % is"), words={
            "points": _("match points out of those possible"), "wins": _("matches won out of those played"),
            "wins_half_draws": _("matches won plus half the draws, out of those played")}),
        RuleField("percentages.match_floor", _("Minimum match-win %"), _("none"),
                  hint=_("Exact: 1/3 and 0.33 are different numbers, and 33% is 0.33.")),
        RuleField("percentages.match_cap", _("Maximum match-win %"), _("none")),
        RuleField("percentages.match_cap_dropped", _("Maximum for players who dropped"), _("none"),
                  hint=_("Does not apply to players who completed every Swiss round.")),
        RuleField("percentages.game_mode", _("Game-win % is"), words={
            "points": _("game points out of those possible"), "wins": _("games won out of those played")}),
        RuleField("percentages.game_floor", _("Minimum game-win %"), _("none")),
        RuleField("percentages.floor_own_gw", _("The minimum also applies to a player's own game-win %")),
        RuleField("percentages.own_include_byes", _("Byes count in a player's own percentages")),
        RuleField("percentages.opp_include_byes", _("Opponents' byes count in their percentages")),
        RuleField("percentages.bye_as_opponent", _("A bye among the opponents"),
                  hint=_("exclude, zero, or a number of opponents with a value, such as 3 x 1/5")),
        RuleField("percentages.count_no_show_tables", _("A double no-show counts")),
        RuleField("percentages.count_missed_rounds", _("A round missed or sat out counts as played and lost"),
                  hint=_("Rounds before a late entry, rounds of absence, and requested zero-point byes.")),
        RuleField("display.percent_places", _("Decimal places shown"),
                  hint=_("Display only: exact values are compared.")),
        RuleField("display.mode", _("Displayed numbers are"),
                  words={"half_up": _("rounded"), "truncate": _("truncated")}),
    ]),
    (_("Standings order"), [
        RuleField("tiebreaks", _("Standings order")),
        RuleField("tiebreaks_frozen_by_stage", _("Tiebreakers freeze when a player's stage ends")),
        RuleField("frozen_at_drop", _("Tiebreakers freeze when a player drops"),
                  hint=_("Also in opponents' averages. Likely for Pokémon: one event and one site's model.")),
        RuleField("fide_version", _("FIDE's tiebreaker rules"), _("by the date of the event"), words={
            2009: _("2009 to 2022: a virtual opponent for unplayed rounds"),
            2023: _("2023 to February 2026: the player's own score for unplayed rounds"),
            2026: _("from March 2026: the player's own score for unplayed rounds, capped")},
                  hint=_("For Buchholz and Sonneborn-Berger by FIDE's rule.")),
        RuleField("drop.stays_in_standings", _("Players who dropped stay in the standings")),
        RuleField("late_entry.rank_below_on_time", _("Late players rank below players who were on time")),
    ]),
    (_("Pairing and byes"), [
        RuleField("pairing.method", _("Players are paired"), words=METHODS),
        RuleField("pairing.first_round", _("In round 1"), words={
            "random": _("randomly"), "rating_halves": _("top half by rating against the bottom half"),
            "seed": _("top half by seed against the bottom half")}),
        RuleField("pairing.objective", _("Score differences"), OBJECTIVES["balance"],
                  words=OBJECTIVES),
        RuleField("pairing.colours", _("Who moves first matters")),
        RuleField("pairing.max_same_colour_row", _("Most first or second moves in a row"), _("no limit"),
                  hint=NO_LIMIT),
        RuleField("pairing.max_colour_difference", _("Largest difference between first and second moves"),
                  _("no limit"), hint=NO_LIMIT),
        RuleField("pairing.colour_limits_in_last_round", _("Limits on first and second moves apply in the last round"),
                  _("yes (default)")),
        RuleField("pairing.boards_in_order", _("Tables stay in score order unless an event varies them")),
        RuleField("pairing.forfeits_are_meetings", _("A forfeit counts as a meeting"),
                  _("yes (default)"),
                  hint=_("If not, the same two can be paired again.")),
        RuleField("pairing.criteria", _("Pairing criteria, most important first"),
                  _("rematches, byes, score differences, repeat pair-downs"), inner=CRITERIA,
                  hint=_("What does not apply is skipped: halves and neighbors where players are paired otherwise, "
                         "sides where it does not matter who moves first.")),
        RuleField("bye.to", _("With an odd number of players, the bye goes to"), words={
            "lowest_score_group_random": _("a random player in the lowest score group"),
            "lowest_score_group": _("the player left unpaired in the lowest score group"),
            "lowest_rank": _("the last player by seed in the lowest score group")}),
        RuleField("bye.excluded_if", _("No bye, while another player can get it, for a player who had"), _("a bye"),
                  words={"had_pab_or_full_point_without_play": _("a bye, or a full point without playing")}),
        RuleField("bye.house_opponent", _("With an odd number of players, a house opponent can play")),
        RuleField("bye.house_contribution", _("What a house opponent adds to tiebreakers"), words={
            "zero": _("nothing"), "own": _("its own score"), "exclude": _("left out")}),
        RuleField("bye.requested", _("Players can request"),
                  _("zero-point byes, and half-point byes if they are worth more than a loss"), words={
            "none": _("no byes"), "zero": _("zero-point byes"), "half": _("half-point and zero-point byes"),
            "full": _("full-point, half-point and zero-point byes")}),
        RuleField("bye.requested_max", _("Most half-point or full-point byes a player can request"),
                  _("no limit")),
        RuleField("bye.requested_not_last", _("Number of last rounds with zero-point byes only"), _("none"),
                  hint=_("Requested byes. Leave empty for none.")),
        RuleField("bye.requested_last_before",
                  _("Other byes in these rounds, if requested before the pairing of round"), _("never"),
                  hint=_("After that, the player cannot withdraw the request.")),
        RuleField("late_entry.allowed_until_round", _("Late entries until round"), _("no limit")),
        RuleField("late_entry.missed", _("A round missed by a late entry counts as"), words={
            "loss": _("a loss"), "half": _("a half-point bye"), "bye": _("a full-point bye")}),
    ]),
    (_("Rounds, cut and bracket"), [
        RuleField("rounds_table", _("Rounds and cut by number of players")),
        RuleField("cut.min_points", _("Everyone with this many points makes the cut"), _("no one else")),
        RuleField("cut.alternates", _("Alternates replace players who drop before the bracket starts")),
        RuleField("drop.walkover", _("If a player drops from the bracket, the bye goes to"), words={
            "opponent": _("the opponent"),
            "highest_ranked_remaining_gets_bye": _("the best seed still to play")}),
        RuleField("elimination.draw_rule", _("A drawn bracket match"), words={
            "not_allowed": _("not allowed"), "higher_seed": _("the better seed advances"),
            "replay_colours_swapped_else_higher_seed":
                _("played again with the other player moving first; if time is short, the better seed advances")}),
        RuleField("elimination.replay", _("Time limits of a repeat game"), {
            "min_minutes_per_player": "20", "delay_s_per_move": "30",
            "min_remaining_minutes_for_later_rounds": "50",
        }, inner={
            "min_minutes_per_player": _("minimum minutes for each player"),
            "delay_s_per_move": _("seconds of delay per move"),
            "min_remaining_minutes_for_later_rounds": _("minutes kept for later rounds")}),
        RuleField("elimination.colours", _("First moves in the bracket, most important first"),
                  _("the better seed chooses"), inner={
            "not_same_all_rounds": _("no one on the same side every round"),
            "alternate": _("everyone alternates sides"),
            "higher_seed_precedence": _("the better seed has precedence")}),
        RuleField("elimination.placement", _("Players knocked out in the same round are placed"), words={
            "swiss_seed_within_round": _("by Swiss rank"), "shared": _("in a shared place"),
            "round_then_points_then_lost_to_placement":
                _("by points scored in the bracket, then by the place of the player who beat them")}),
        RuleField("elimination.third_place_match", _("There is a third-place match")),
    ]),
]  # fmt: skip
FIELDS: dict[str, RuleField] = {field.path: field for _title, fields in GROUPS for field in fields}
# Events cannot change the source of their rules.
NEVER_OPEN = tuple(path for path in FIELDS if FIELD_AT[path].part != "rule")


# Fields that only a file can set.
FILE_ONLY: Words = {
    "open_fields": _("Open to organizers"),
    "byes_refused": _("Byes that cannot be requested"),
    "pairing.repeats": _("Repeated pairings"),
    "pairing.labels_apart_until_round": _("Players with the same label are kept apart until round"),
    "drop.after_cut_replacement": _("Alternates replace players who drop after the cut"),
    "cut.tie_policy": _("Ties at the last spot of the cut"),
    "elimination.reseed": _("The bracket is reseeded every round"),
    "elimination.first_choice": _("Who chooses the first move in the bracket"),
    "elimination.round1_first": _("Who moves first in the first bracket round"),
}


def rule_label(path: str) -> str:
    return str(FIELDS[path].label if path in FIELDS else FILE_ONLY.get(path, path))


def rule_words(path: str) -> Words:
    field = FIELDS.get(path)
    return (field and (field.words or field.inner)) or {}


def confidence_in_words(profile: dict[str, Any]) -> str:
    """Return how well the ruleset is sourced. A publisher's unknown words are returned unchanged."""
    confidence = profile.get("confidence") or ""
    return str(CONFIDENCE.get(confidence, confidence) or _("no source given"))


def is_unverified(profile: dict[str, Any]) -> bool:
    """Whether an organizer has to check the ruleset before relying on it."""
    return (profile.get("confidence") or "memory") == "memory"


def is_game_for_two(profile: dict[str, Any]) -> bool:
    """Whether the game is played 1 against 1, so that the app can pair its rounds."""
    return profile["pairing"]["method"] != "pods"


def pairing_note(profile: dict[str, Any]) -> str:
    """Return how the app pairs rounds if the game pairs by another score or in another format; else ""."""
    method = profile["pairing"]["method"]
    if method in ("round_robin", "pods"):
        return str(METHODS[method])
    return str(PAIRED_BY_POINTS.get(profile["tiebreaks"][0]["metric"], ""))


def fide_warning(profile: dict[str, Any], starts_at: str | None) -> str:
    """Return a warning if an event follows FIDE's rules of another time than its own; else ""."""
    if not starts_at or list_fide_versions(profile) <= {None, fide_version_on(starts_at)}:
        return ""
    words = _("FIDE's rules on the date of this event (%(date)s) are those of %(version)s, not these.")
    return str(words) % {"date": starts_at[:10], "version": fide_version_on(starts_at)}
