"""Names as the pages of players show them, kept in each process: a phone shows two of them, among thousands."""

from tournament.models import Tournament
from tournament.public.cache import MarkCache
from tournament.public.responses import key_of
from tournament.text.display_names import names_of, public_names_of

shown_names: MarkCache[dict[str, str]] = MarkCache(100_000, len, name="names")


def kept_names_of(tournament: Tournament) -> dict[str, str]:
    """As `names_of`, of an event that was just read."""
    return shown_names.read(
        (*key_of(tournament), "staff"), _mark_of(tournament), lambda: names_of(tournament)
    )


def kept_public_names_of(tournament: Tournament) -> dict[str, str]:
    """As `public_names_of`, of an event that was just read."""
    return shown_names.read(
        (*key_of(tournament), "public"), _mark_of(tournament), lambda: public_names_of(tournament)
    )


def _mark_of(tournament: Tournament) -> str:
    """It moves with everything but results, reports and what players send to staff."""
    return str(tournament.public_revision)
