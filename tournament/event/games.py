"""A game's usual ruleset, round length, and infractions for judges to choose from."""

import re
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from tournament.models import Penalty, Tournament
from tournament.text import fold_name

ANY = "cardeio"  # win 3, draw 1, minimum 33%: for games without published rules
# (game as forms suggest it, other words for it, key of its ruleset)
GAMES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("Magic: The Gathering", ("magic", "mtg"), "mtr"),
    ("Pokémon TCG", ("pokemon", "ptcg"), "pokemon"),
    ("Yu-Gi-Oh!", ("yu-gi-oh", "yugioh"), "yugioh"),
    ("Flesh and Blood", ("flesh and blood", "fab"), "fab"),
    ("Disney Lorcana", ("lorcana",), "lorcana"),
    ("Star Wars: X-Wing", ("x-wing", "xwing"), "xwing"),
    ("Star Wars: Unlimited", ("star wars", "swu"), "swu"),
    ("One Piece Card Game", ("one piece",), "bandai"),
    ("Digimon Card Game", ("digimon",), "bandai"),
    ("Dragon Ball", ("dragon ball",), "bandai"),
    ("Gundam Card Game", ("gundam",), "bandai"),
    ("Netrunner", ("netrunner",), "nsg"),
    ("KeyForge", ("keyforge",), "ffg"),
    ("Riftbound", ("riftbound",), "riftbound"),
    ("Chess", ("chess", "schach"), "fide"),
    ("Go", ("go", "baduk", "weiqi"), "go_mcmahon"),
    ("Twixt", ("twixt",), "twixt"),
    ("Warhammer 40,000", ("warhammer", "40k"), "warhammer_gw"),
    ("Scrabble", ("scrabble",), "scrabble"),
    ("Bridge, Swiss teams", ("bridge",), "bridge_swiss_teams"),
    ("Curling", ("curling",), "curling"),
)
# Minutes of a best-of-three round by ruleset, where the publisher states them: MTR appendix B, Konami's policy v2.5,
# Play! Pokémon's handbook, Lorcana's tournament rules.
ROUND_MINUTES = dict.fromkeys(("mtr", "mtr_jp", "dci1999", "pokemon", "yugioh", "lorcana"), 50)


def usual_ruleset(game: str) -> str:
    """Return the key of the game's usual ruleset; `ANY` for an unknown game."""
    words = " " + re.sub(r"[^\w-]+", " ", fold_name(game)) + " "
    for _name, known, key in GAMES:
        if any(f" {word} " in words for word in known):
            return key
    return ANY


def usual_minutes(game: str, ruleset: str) -> int | None:
    """Return the game's usual round minutes, else the ruleset's; None if no publisher states them."""
    usual = usual_ruleset(game)
    return ROUND_MINUTES.get(ruleset if usual == ANY else usual)


CAUTION, WARNING, GAME_LOSS, MATCH_LOSS, DISQUALIFICATION = Penalty.Kind


class Infraction(NamedTuple):
    """An infraction by its name; `penalty` is None if the document gives none."""

    name: Any
    penalty: Penalty.Kind | None


# Magic's Infraction Procedure Guide, appendix A, in its order and words.
IPG = (
    Infraction("Missed Trigger", None),
    Infraction("Looking at Extra Cards", WARNING),
    Infraction("Hidden Card Error", WARNING),
    Infraction("Mulligan Procedure Error", WARNING),
    Infraction("Game Rule Violation", WARNING),
    Infraction("Failure to Maintain Game State", WARNING),
    Infraction("Tardiness", GAME_LOSS),
    Infraction("Outside Assistance", MATCH_LOSS),
    Infraction("Slow Play", WARNING),
    Infraction("Decklist Problem", GAME_LOSS),
    Infraction("Deck Problem", WARNING),
    Infraction("Limited Procedure Violation", WARNING),
    Infraction("Communication Policy Violation", WARNING),
    Infraction("Marked Cards", WARNING),
    Infraction("Insufficient Shuffling", WARNING),
    Infraction("Unsporting Conduct – Minor", WARNING),
    Infraction("Unsporting Conduct – Major", MATCH_LOSS),
    Infraction("Improperly Determining a Winner", MATCH_LOSS),
    Infraction("Bribery and Wagering", MATCH_LOSS),
    Infraction("Aggressive Behavior", DISQUALIFICATION),
    Infraction("Theft of Tournament Material", DISQUALIFICATION),
    Infraction("Stalling", DISQUALIFICATION),
    Infraction("Cheating", DISQUALIFICATION),
)
# Judging at Regular REL: the first offense is a caution, except for serious problems.
JAR = (
    Infraction("Regular REL: forgets a triggered ability", CAUTION),
    Infraction("Regular REL: sees a card that should not be seen", CAUTION),
    Infraction("Regular REL: draws extra cards", CAUTION),
    Infraction("Regular REL: other error in a game", CAUTION),
    Infraction("Regular REL: illegal, insufficient or another player's cards in the deck", CAUTION),
    Infraction("Regular REL: unwanted behavior", CAUTION),
    Infraction("Regular REL: serious problem", DISQUALIFICATION),
)
OTHERS = (
    Infraction(_("Rule broken by mistake"), WARNING),
    Infraction(_("Late to the table"), WARNING),
    Infraction(_("Slow play"), WARNING),
    Infraction(_("Wrong deck or list"), WARNING),
    Infraction(_("Outside help"), MATCH_LOSS),
    Infraction(_("Unsporting conduct, minor"), WARNING),
    Infraction(_("Unsporting conduct, major"), MATCH_LOSS),
    Infraction(_("Cheating"), DISQUALIFICATION),
)
MAGIC = ("mtr", "mtr_jp", "dci1999")  # keys of rulesets


def list_infractions(tournament: Tournament) -> tuple[Infraction, ...]:
    key = tournament.ruleset.key if tournament.ruleset else ""
    is_magic = key in MAGIC or usual_ruleset(tournament.game) in MAGIC
    return IPG + JAR if is_magic else OTHERS
