"""The ruleset that a game is usually played by: the choice of a new event where no one has chosen another."""

import re

from tournament.text.clean import fold_name

ANY = "cardeio"  # win 3, draw 1, minimum 33%: for games without published rules
# (game as the forms suggest it, words that name it, key of its ruleset)
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


def usual_ruleset(game: str) -> str:
    """The key of the ruleset that this game is usually played by; `ANY` for an unknown game."""
    words = " " + re.sub(r"[^\w-]+", " ", fold_name(game)) + " "
    for _name, known, key in GAMES:
        if any(f" {word} " in words for word in known):
            return key
    return ANY
