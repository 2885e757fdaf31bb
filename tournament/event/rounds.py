"""Find rounds and matches, and name them: Swiss rounds by number, bracket rounds by their distance from the final."""

from typing import NamedTuple

from django.db.models import Count, Min
from django.utils.translation import gettext as _

from tournament.errors import NotFound, WrongState, get_or_refuse
from tournament.event.table_plan import table_name
from tournament.models import Match, Round, Stage, Tournament

# The slot of that match; the others are F.1, the final, and W1.3: round 1, third from the top.
THIRD_PLACE = "P3.1"


def find_round(tournament: Tournament, number: int) -> Round:
    rounds = tournament.rounds.filter(number=number).select_related("stage")
    return get_or_refuse(rounds, _("There is no round %(number)s in this event."), number=number)


def find_swiss_round(tournament: Tournament, number: int) -> Round:
    """Return a Swiss round. Raises WrongState for a round of the bracket."""
    round_ = find_round(tournament, number)
    if not round_.swiss:
        text = _("The matches of %(round)s follow from the bracket. There is nothing to pair.")
        raise WrongState(text, round=round_name(round_).phrase)
    return round_


def match_at(tournament: Tournament, number: int, table: int) -> Match:
    matches = Match.objects.filter(round__tournament=tournament, round__number=number, table=table)
    if match := matches.select_related("round").defer("round__pairing").first():
        return match
    round_ = find_round(tournament, number)
    text, name = _("There is no table %(table)s in %(round)s."), table_name(tournament, table, round_)
    raise NotFound(text, table=name, round=round_name(round_).phrase)


def solo_match(tournament: Tournament, number: int, code: str) -> Match:
    round_ = find_round(tournament, number)
    alone = round_.matches.filter(round__swiss=True, seats__entry__code=code, seats__opponent=None)
    text, name = _("%(code)s does not sit out %(round)s."), round_name(round_).phrase
    return get_or_refuse(alone.select_related("round"), text, code=code, round=name)


class RoundName(NamedTuple):
    title: str  # a heading, or before a colon: Quarterfinals
    phrase: str  # in a sentence: the quarterfinals
    label: str  # after a comma or a dot: quarterfinals
    cell: str  # below a heading that says "Round": Quarterfinals, or the number of a Swiss round


class RoundNames(dict[int, RoundName]):
    """The names of an event's rounds by number; the first missing one loads all with one query."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__()
        self._tournament = tournament
        self._are_read = False

    def know(self, round_: Round) -> None:
        if round_.swiss:
            self[round_.number] = swiss_round_name(round_.number)

    def __missing__(self, number: int) -> RoundName:
        if not self._are_read:
            self._are_read = True
            for first, players in _load_brackets(self._tournament):
                for its_number, name in bracket_round_names(first, players).items():
                    self.setdefault(its_number, name)
        return self[number] if number in self else self.setdefault(number, swiss_round_name(number))


def round_names(tournament: Tournament) -> RoundNames:
    """Return the names of the event's rounds, cached on this instance until the next action."""
    revision, names = vars(tournament).get("_round_names", (None, None))
    if names is None or revision != tournament.revision:
        names = RoundNames(tournament)
        vars(tournament)["_round_names"] = (tournament.revision, names)
    return names


def round_name(round_: Round, tournament: Tournament | None = None) -> RoundName:
    """Return the name of a round. One query serves all rounds of a bracket."""
    if round_.swiss:
        return swiss_round_name(round_.number)
    return round_names(tournament or round_.tournament)[round_.number]


def swiss_round_name(number: int) -> RoundName:
    """Return the name at the beginning of a sentence and inside one: "Round 5" and "round 5"."""
    values = {"number": number}
    inside = _("round %(number)s") % values
    return RoundName(_("Round %(number)s") % values, inside, inside, str(number))


def bracket_round_name(number: int, rounds: int) -> RoundName:
    """Return Final, Semifinals or Quarterfinals; Round of 16 and so on before. `number`: from 1 to `rounds`."""
    left = rounds - number
    names = [
        (_("Final"), _("the final"), _("final")),
        (_("Semifinals"), _("the semifinals"), _("semifinals")),
        (_("Quarterfinals"), _("the quarterfinals"), _("quarterfinals")),
    ]
    further = (_("Round of %(size)s"), _("the round of %(size)s"), _("round of %(size)s"))
    texts = names[left] if left < len(names) else further
    title, phrase, label = (text % {"size": 2 << left} for text in texts)
    return RoundName(title, phrase, label, cell=title)


def match_title(slot: str, rounds: int) -> str:
    """Return Final, Semifinal 2 or Quarterfinal 3; "Round of 16, match 5" before. `slot`: such as "W1.3"."""
    if slot == THIRD_PLACE:
        return _("Third-place match")
    number, _dot, place = slot.removeprefix("W").partition(".")
    left = rounds - int(number) if number.isdecimal() else 0
    if left == 0:
        return _("Final")
    titles = {1: _("Semifinal %(n)s"), 2: _("Quarterfinal %(n)s")}
    title = titles.get(left, _("Round of %(size)s, match %(n)s"))
    return title % {"size": 2 << left, "n": place}


def bracket_round_names(first: int, players: int) -> dict[int, RoundName]:
    rounds = max(players - 1, 0).bit_length()
    return {first + index: bracket_round_name(index + 1, rounds) for index in range(rounds)}


def _load_brackets(tournament: Tournament) -> list[tuple[int, int]]:
    brackets = tournament.stages.filter(kind=Stage.Kind.ELIMINATION).annotate(
        first=Min("rounds__number"),
        seeds=Count("stage_entries__seed", distinct=True),
        entries_=Count("stage_entries", distinct=True),
    )
    return [
        (first, seeds or entries)
        for first, seeds, entries in brackets.values_list("first", "seeds", "entries_")
        if first is not None
    ]
