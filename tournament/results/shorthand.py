"""Match slips as a scorekeeper types them in the quick-entry box.

`21` (2-1), `111`, `10t` (a game was unfinished: one more drawn game), `d` (the usual draw), `id` (intentional
draw), `ll` (double loss), `ns1` / `ns2` / `ns` (the first, the second, both are no-shows: they drop); an `x`
before or after means that the first or the second player drops, `xx` on either side both. If the ruleset records
points made inside the match they follow the games (`21 412 388`), or stand alone if they decide the winner
(`412 388`, `412-388`); after `id`, `ll` and `ns` they are the points staff give. If it matters who won which game,
`ab` says it: the first player the first one, the second player the second.
"""

import re
from dataclasses import replace

from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from tournament.access.codes import ALPHABET, derive_letters
from tournament.errors import Refused
from tournament.results import game_points
from tournament.results.slip import (
    MatchRules,
    Slip,
    apply_rules,
    check_slip,
    slip_of_order,
    slip_of_score,
    usual_draw,
)

_MARKS = re.compile(r"(?P<ax>x{0,2})(?P<what>[^x].*?)(?P<bx>x{0,2})", re.IGNORECASE)
# Equal separators: "1 20" behind a table repeats table 1 with its result, it is not 1-2-0.
_GAMES = re.compile(
    r"(?P<a>\d)(?P<gap>[-–: ]?)(?P<b>\d)(?:(?P=gap)(?P<drawn>\d))?(?P<time>t?)", re.IGNORECASE
)
_ORDER = re.compile(r"[abd]{2,9}", re.IGNORECASE)
_WORDS = {
    "id": Slip("intentional_draw"),
    "ll": Slip("double_loss"),
    "ns": Slip("forfeit", drops="ab"),
    "ns1": Slip("forfeit", winner="b", drops="a"),
    "ns2": Slip("forfeit", winner="a", drops="b"),
}


def parse_slip(text: str, rules: MatchRules | None = None) -> Slip:
    """Parse a short text such as "21", "1-1-1", "10t", "id", "ns2", "21x", "412 388". Raises Refused."""
    rules = rules or MatchRules()
    marks = _MARKS.fullmatch(text.strip())
    slip = marks and _read(marks["what"].strip(), rules)
    if not marks or slip is None:
        raise Refused(_refusal(text.strip()[:40], rules))
    both = "xx" in (marks["ax"].lower(), marks["bx"].lower())
    drops = "ab" if both else ("a" if marks["ax"] else "") + ("b" if marks["bx"] else "")
    return replace(slip, drops="".join(sorted(set(slip.drops + drops))))


def read_slip(text: str, rules: MatchRules) -> Slip:
    """Parse a slip and apply its ruleset. Raises Refused if it is empty or impossible."""
    slip = apply_rules(parse_slip(text, rules), rules)
    check_slip(slip, rules)
    return slip


def slip_shorthand(slip: Slip, rules: MatchRules) -> str:
    """Return the short text of a slip, the inverse of `parse_slip`. A no-show always drops there."""
    if slip.result == "played":
        what = slip.order or f"{slip.a}{slip.b}{slip.drawn or ''}{'t' if slip.unfinished else ''}"
    else:
        names = {"intentional_draw": "id", "double_loss": "ll"}
        what = names.get(slip.result) or {"a": "ns2", "b": "ns1", "": "ns"}[slip.winner]
    if slip.score:
        points = " ".join(map(game_points.points_text, slip.score)).replace("−", "-")
        what = points if rules.by_score and slip.result == "played" else f"{what} {points}"
    return f"{'x' if 'a' in slip.drops else ''}{what}{'x' if 'b' in slip.drops else ''}"


def _read(what: str, rules: MatchRules) -> Slip | None:
    first, _gap, rest = what.partition(" ")
    if first.lower() in _WORDS:
        slip = _WORDS[first.lower()]
        if not rest:
            return slip
        score = rules.scores and game_points.parse_score(rest, rules.scores)
        return replace(slip, score=score) if score else None
    if rules.scores and rules.scores.decides:
        score = game_points.parse_score(what, rules.scores)
        return None if score is None else slip_of_score(score)
    if rules.scores and rest:
        games, score = _games_in(first, rules), game_points.parse_score(rest, rules.scores)
        if games and score:
            return replace(games, score=score)
    return _games_in(what, rules)


def _games_in(what: str, rules: MatchRules) -> Slip | None:
    if what.lower() == "d":
        return usual_draw(rules)
    if rules.order and _ORDER.fullmatch(what):
        return slip_of_order(what.lower())
    digits = _GAMES.fullmatch(what)
    if not digits:
        return None
    a, b, drawn = (int(digits[each] or 0) for each in ("a", "b", "drawn"))
    return Slip("played", a, b, drawn, unfinished=bool(digits["time"]))


def _refusal(text: str, rules: MatchRules) -> str:
    if rules.by_score:
        examples = _("412 388, 412-388, id, ll, ns2 (no-show), 412 388x (drops)")
    elif rules.scores:
        examples = _("21 412 388 (games, then points), id, ll, ns2 (no-show), 21 412 388x (drops)")
    elif rules.order:
        examples = _("20, ab (who won game 1 and game 2), id, ll, ns2 (no-show), abx (drops)")
    elif rules.best_of == 1:
        examples = _("10, 0-1, d (draw), id, ll, ns2 (no-show), 10x (drops)")
    else:
        examples = _("21, 1-1-1, 10t (time), id, ll, ns2 (no-show), 21x (drops)")
    return _("“%(text)s” is not a result. Examples: %(examples)s.") % {"text": text, "examples": examples}


_BASE = len(ALPHABET)
_CODE = re.compile(r"(\d{1,4})[\s/-]+(\d{1,5})[\s/-]+([a-z0-9]{4})", re.IGNORECASE)
_TYPED = re.compile(r"\d{1,4}-\d{1,5}-[a-z0-9]{4}", re.IGNORECASE)
_ADDRESS = re.compile(r"/rounds/(\d{1,4})/tables/(\d{1,5})/code/([a-z0-9]{4})/?$", re.IGNORECASE)


def slip_check(slug: str, number: int, table: int, players: tuple[str, str | None]) -> str:
    """Return the 4 check characters of a table's slip in round `number`; `slug`: the event's."""
    text = f"{slug}/{number}/{table}/{'/'.join(player or '' for player in players)}"
    return _first_check(number, table) + derive_letters("tournament.match-code:v1", text, 3)


def is_slip_code(text: str) -> bool:
    """Whether a line is only a code with hyphens or the URL in a QR code, as a scanner types them."""
    return bool(_TYPED.fullmatch(text) or _ADDRESS.search(text))


def read_slip_code(text: str) -> tuple[int, int, str]:
    """Parse a typed code or scanned URL into round, table and check characters. Raises Refused if misread."""
    code = _CODE.fullmatch(text.strip()) or _ADDRESS.search(text.strip())
    if code is None:
        refusal = _("%(code)s is not the code of a match slip. Type it as on the slip, such as 4-12-K7QM.")
        raise Refused(refusal, code=text)
    number, table, check = code.groups()
    return int(number), int(table), check.upper()


def check_digits(code: tuple[int, int, str]) -> None:
    number, table, check = code
    if check[:1] != _first_check(number, table):
        text = _("The code %(code)s has a wrong character. Compare it with the match slip.")
        raise Refused(text, code=_shown(code))


def check_slip_code(slug: str, code: tuple[int, int, str], players: tuple[str, str | None]) -> None:
    """Raise Refused if the code was misread, or is of other players."""
    check_digits(code)
    number, table, check = code
    if not constant_time_compare(check, slip_check(slug, number, table, players)):
        text = _(
            "The code %(code)s does not match the players at this table. The slip may be from earlier pairings."
        )
        raise Refused(text, code=_shown(code))


def _first_check(number: int, table: int) -> str:
    digits = enumerate(f"{number:04d}{table:05d}", start=1)
    return ALPHABET[sum(pow(3, place, _BASE) * int(digit) for place, digit in digits) % _BASE]


def _shown(code: tuple[int, int, str]) -> str:
    return "-".join(map(str, code))
