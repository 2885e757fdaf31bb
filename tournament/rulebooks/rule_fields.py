"""Words for the fields of a ruleset that a person edits: label, what its values mean, what an empty one means.

What a field may hold stands in `tournament.rulesets.schema`. The editor's form, differences in words, refusals
and the list of what organizers may change read this table. Fields that no code obeys are not in it, or only by
name; a ruleset keeps them as they are.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.rulebooks import value_words
from tournament.rulebooks.value_words import FIDE_VERSIONS, Words
from tournament.rulesets import fide_version_on, fide_versions_of
from tournament.rulesets.schema import FIELD_AT

UNVERIFIED = ("memory", "")


@dataclass(frozen=True, slots=True)
class RuleField:
    """A field that a person edits. `words`: what its values mean; `empty`: what holds where it is left empty.

    `inner`: what the words of a list mean, or what the parts of an object are called (`empty` by part).
    """

    path: str
    label: Any
    empty: Any = ""
    words: Any = None
    hint: Any = ""
    inner: Any = None

    @property
    def kind(self) -> str:
        """How the editor treats it: the schema's kind, or a name of its own where the field may be left empty.

        follows: a number, else what `empty` says · share: a number, else none · yes_no: yes, no, or what `empty`
        says · ordered: a list of known words · parts: an object of whole numbers. A text with `words` is a choice
        of them.
        """
        field = FIELD_AT[self.path]
        if field.kind.name == "switch" and self.empty:
            return "yes_no"
        if field.kind.name == "text" and self.words:
            return "choice"
        if field.kind.name in ("number", "positive", "share"):
            return {"refused": "number", "follows": "follows", "none": "share"}[field.empty]
        return field.kind.name


GROUPS: list[tuple[Any, list[RuleField]]] = [
    (_("About"), [
        RuleField("name", _("Name")),
        RuleField("source", _("Source of the rules"), hint=_("Document, edition, address.")),
        RuleField("confidence", _("Confidence"), words=value_words.CONFIDENCE),
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
        RuleField("match_points.game_win", _("Match points for each game won"), _("3"),
                  hint=_("Only if they are awarded per game.")),
        RuleField("match_points.game_draw", _("Match points for each drawn game"), _("1"),
                  hint=_("Only if they are awarded per game.")),
        RuleField("match_points.game_loss", _("Match points for each game lost"), _("0"),
                  hint=_("Only if they are awarded per game.")),
        RuleField("match_points.sweep_bonus", _("Bonus for winning every game"), _("0"),
                  hint=_("Only if they are awarded per game.")),
    ]),
    (_("Games"), [
        RuleField("game_points.win", _("Game points for a win")),
        RuleField("game_points.draw", _("Game points for a drawn game")),
        RuleField("game_points.loss", _("Game points for a loss")),
        RuleField("best_of_swiss", _("Length of a Swiss match"), words=value_words.LENGTHS),
        RuleField("best_of_elim", _("Length of a bracket match"), words=value_words.LENGTHS),
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
        RuleField("percentages.match_mode", _("Match-win % is"), words=value_words.MATCH_MODES),
        RuleField("percentages.match_floor", _("Minimum match-win %"), _("none"),
                  hint=_("Exact: 1/3 and 0.33 are different numbers, and 33% is 0.33.")),
        RuleField("percentages.match_cap", _("Maximum match-win %"), _("none")),
        RuleField("percentages.match_cap_dropped", _("Maximum for players who dropped"), _("none")),
        RuleField("percentages.game_mode", _("Game-win % is"), words=value_words.GAME_MODES),
        RuleField("percentages.game_floor", _("Minimum game-win %"), _("none")),
        RuleField("percentages.floor_own_gw", _("The minimum also applies to a player's own game-win %")),
        RuleField("percentages.own_include_byes", _("Byes count in a player's own percentages")),
        RuleField("percentages.opp_include_byes", _("Opponents' byes count in their percentages")),
        RuleField("percentages.bye_as_opponent", _("A bye among the opponents"),
                  hint=_("exclude, zero, or a number of opponents with a value, such as 3 x 1/5")),
        RuleField("percentages.count_no_show_tables", _("A double no-show counts")),
        RuleField("percentages.count_missed_rounds", _("A missed round counts as played and lost"),
                  hint=_("Rounds before a late entry, and rounds that a player sat out.")),
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
        RuleField("fide_version", _("FIDE's tiebreaker rules"), _("by the date of the event"), words=FIDE_VERSIONS,
                  hint=_("For Buchholz and Sonneborn-Berger by FIDE's rule.")),
        RuleField("drop.stays_in_standings", _("Players who dropped stay in the standings")),
        RuleField("late_entry.rank_below_on_time", _("Late players rank below players who were on time")),
    ]),
    (_("Pairing and byes"), [
        RuleField("pairing.method", _("Players are paired"), words=value_words.METHODS),
        RuleField("pairing.first_round", _("In round 1"), words=value_words.FIRST_ROUNDS),
        RuleField("pairing.objective", _("Score differences"), value_words.OBJECTIVES["balance"],
                  words=value_words.OBJECTIVES),
        RuleField("pairing.colours", _("Who moves first matters")),
        RuleField("pairing.forfeits_are_meetings", _("Players whose match was forfeited have met"),
                  _("yes (default)"),
                  hint=_("If not, the same two can be paired again.")),
        RuleField("pairing.criteria", _("Pairing criteria, most important first"),
                  _("rematches, byes, score differences, repeat pair-downs"), inner=value_words.CRITERIA,
                  hint=_("What does not apply is skipped: halves and neighbors where players are paired otherwise, "
                         "sides where it does not matter who moves first.")),
        RuleField("bye.to", _("With an odd number of players, the bye goes to"), words=value_words.BYE_PLAYERS),
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
        RuleField("cut.alternates", _("An alternate replaces a player who drops before playing in the bracket")),
        RuleField("drop.walkover", _("When a player drops from the bracket, the bye goes to"),
                  words=value_words.WALKOVERS),
        RuleField("elimination.draw_rule", _("A drawn bracket match"), words=value_words.DRAW_RULES),
        RuleField("elimination.replay", _("Time limits of a repeat game"), {
            "min_minutes_per_player": "20", "delay_s_per_move": "30",
            "min_remaining_minutes_for_later_rounds": "50"}, inner=value_words.REPLAY_PARTS),
        RuleField("elimination.colours", _("First moves in the bracket, most important first"),
                  _("the better seed chooses"), inner=value_words.FIRST_MOVES),
        RuleField("elimination.placement", _("Players knocked out in the same round are placed"),
                  words=value_words.PLACEMENTS),
        RuleField("elimination.third_place_match", _("There is a third-place match")),
    ]),
]  # fmt: skip
FIELDS: dict[str, RuleField] = {field.path: field for _title, fields in GROUPS for field in fields}
# No event changes who stands behind its rules.
NEVER_OPEN = tuple(path for path in FIELDS if FIELD_AT[path].part != "rule")


# Fields that only a file can set.
FILE_ONLY: Words = {
    "draws_allowed.elimination": _("A bracket match may be drawn"),
    "open_fields": _("Open to organizers"),
    "byes_refused": _("Byes that cannot be requested"),
    "game_points.unplayed": _("Game points for an unplayed game"),
    "display.packed": _("Layout of packed tiebreakers"),
    "pairing.rematch": _("Rematches"),
    "pairing.repeats": _("Repeated pairings"),
    "pairing.pair_down": _("Who is paired down"),
    "pairing.last_round": _("Pairing of the last round"),
    "pairing.colour_rules": _("Rules on who moves first"),
    "pairing.round1_colours": _("First moves in round 1"),
    "pairing.side_balance": _("First moves are balanced"),
    "pairing.max_same_colour_row": _("Most first or second moves in a row"),
    "pairing.max_colour_difference": _("Largest difference between first and second moves"),
    "pairing.labels_apart_until_round": _("Players with the same label are kept apart until round"),
    "bye.max_per_player": _("Most byes per player"),
    "bye.first_round": _("Who gets the bye in round 1"),
    "drop.after_cut_replacement": _("An alternate replaces a player who drops after the cut"),
    "cut.size": _("Size of the cut"),
    "cut.size_from_table": _("The rounds table gives the size of the cut"),
    "cut.tie_policy": _("Ties at the last spot of the cut"),
    "elimination.type": _("Kind of bracket"),
    "elimination.bracket_reset": _("The final can be reset"),
    "elimination.seeding": _("Seeding of the bracket"),
    "elimination.bracket": _("Shape of the bracket"),
    "elimination.byes": _("Who gets a bye in the bracket"),
    "elimination.reseed": _("The bracket is reseeded every round"),
    "elimination.first_choice": _("Who chooses the first move in the bracket"),
    "elimination.round1_first": _("Who moves first in the first bracket round"),
}


FILE_ONLY_WORDS: Words = {"pairing.round1_colours": value_words.FIRST_ROUND_MOVES}


def label_of(path: str) -> str:
    """The label of a field; its path where it has no words."""
    return str(FIELDS[path].label if path in FIELDS else FILE_ONLY.get(path, path))


def words_of(path: str) -> Words:
    """Words for the values of a field, or for what is inside them; empty where it has none."""
    field = FIELDS.get(path)
    return (FILE_ONLY_WORDS.get(path) if field is None else field.words or field.inner) or {}


def confidence_in_words(profile: dict[str, Any]) -> str:
    """How well the ruleset is sourced, in words; an unknown word of its publisher stays as it is."""
    confidence = profile.get("confidence") or ""
    return str(value_words.CONFIDENCE.get(confidence, confidence) or _("no source given"))


def is_unverified(profile: dict[str, Any]) -> bool:
    """Whether an organizer has to check the ruleset before relying on it."""
    return (profile.get("confidence") or "") in UNVERIFIED


def fide_warning(profile: dict[str, Any], starts_at: str | None) -> str:
    """One sentence where an event follows FIDE's rules of another time than its own; empty otherwise."""
    if not starts_at or fide_versions_of(profile) <= {None, fide_version_on(starts_at)}:
        return ""
    words = _("FIDE's rules on the date of this event (%(date)s) are those of %(version)s, not these.")
    return str(words) % {"date": starts_at[:10], "version": fide_version_on(starts_at)}
