from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.event.display_names import load_names, public_name
from tournament.event.types import FEWEST_MEMBERS, MOST_MEMBERS
from tournament.models import Tournament
from tournament.text import LONGEST_NAME, clean_name, fold_name


class Member(NamedTuple):
    name: str
    is_captain: bool


def build_team(names: Sequence[str], captain: int) -> dict[str, Any]:
    """Return an entry's `members` and `captain` (a position from 1), from names as entered. Raises Refused."""
    lines = [clean_name(name) for name in names]
    members = [name for name in lines if name]
    if not members:
        return {"members": [], "captain": 1}
    if not FEWEST_MEMBERS <= len(members) <= MOST_MEMBERS:
        text = _("A team has %(fewest)s to %(most)s members, not %(count)s.")
        raise Refused(text, status=422, fewest=FEWEST_MEMBERS, most=MOST_MEMBERS, count=len(members))
    if any(len(name) > LONGEST_NAME for name in members):
        raise Refused(_("Enter a name of 1 to %(most)s characters."), status=422, most=LONGEST_NAME)
    folded = [fold_name(name) for name in members]
    for place, name in enumerate(members):
        if folded[place] in folded[:place]:
            raise Refused(_("%(name)s is in the team twice. Enter each member once."), status=422, name=name)
    if not (0 < captain <= len(lines) and lines[captain - 1]):
        raise Refused(_("The captain has no name. Choose one of the members as captain."), status=422)
    return {"members": members, "captain": sum(map(bool, lines[:captain]))}


def find_member(name: str, members: Sequence[str]) -> int:
    """Return the position of the member with this name, from 1; 0 if there is none."""
    return next((n for n, member in enumerate(members, 1) if fold_name(member) == fold_name(name)), 0)


def team_lines(members: Sequence[str], captain: int | None, privacy: str = "full") -> list[Member]:
    """Return the members as shown: in full to staff, in public as the organizer chose (`Tournament.Names`)."""
    names = [public_name(name, "", privacy) for name in members]
    return [Member(name, place == (captain or 1)) for place, name in enumerate(names, 1)]


def team_words(members: Sequence[str], captain: int | None) -> str:
    """Return the members in one line, such as "Ada Ruiz (captain), Bo Lind"."""
    marked = _("%(name)s (captain)")
    lines = team_lines(members, captain)
    return ", ".join(marked % {"name": name} if is_captain else name for name, is_captain in lines)


def load_members(tournament: Tournament, *, public: bool = False) -> dict[str, list[str]]:
    if not tournament.team:
        return {}
    rows = tournament.entries.exclude(members=[]).values_list("code", "members", "display_name_only")
    event, alias = (tournament.name_privacy, Tournament.Names.ALIAS) if public else ("full", "full")
    return {
        code: [public_name(name, "", alias if only else event) for name in members]
        for code, members, only in rows
    }


def members_elsewhere(tournament: Tournament, of: Collection[str]) -> list[str]:
    """Return a sentence for each member of the teams `of` who is also in another active team."""
    if not (tournament.team and of):
        return []
    rows = tournament.entries.exclude(members=[]).exclude(dropped_after=0)
    teams = list(rows.values_list("code", "members", "same_person_as__code"))
    others = defaultdict(list)  # by member: the teams, each with the first entry of it
    for code, members, first in teams:
        for member in members:
            others[fold_name(member)].append((code, first or code))
    names = load_names(tournament)
    text = _("%(member)s is also a member of %(team)s.")
    return [
        text % {"member": member, "team": names[other]}
        for code, members, first in teams
        if code in of
        for member in members
        for other, same in others[fold_name(member)]
        if same != (first or code)
    ]
