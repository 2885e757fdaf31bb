from collections.abc import Iterable
from fractions import Fraction

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.translation import gettext as _

from tournament.event.settings import Prize


def place_words(first: int, last: int) -> str:
    """Return "3rd", or "3rd–4th"."""
    return str(ordinal(first)) if first == last else f"{ordinal(first)}–{ordinal(last)}"


def condition_words(prize: Prize) -> str:
    """Return a prize's condition: "1st–4th", "at least 9 points", "best junior", "junior, 1st–3rd"."""
    if prize.by == "points":
        return _("at least %(points)s points") % {"points": prize.points}
    places = place_words(prize.first, prize.last)
    if prize.by == "place":
        return places
    if prize.last == 1:
        return _("best %(label)s") % {"label": prize.label}
    return _("%(label)s, %(places)s") % {"label": prize.label, "places": places}


def amount_text(amount: Fraction, currency: str = "") -> str:
    """Format an amount as it is paid, such as "25 EUR": whole, or with 2 decimals, rounded down."""
    cents = int(amount * 100)
    text = str(cents // 100) if cents % 100 == 0 else f"{cents // 100}.{cents % 100:02}"
    return f"{text} {currency}".rstrip()


def prize_words(prize: Prize, currency: str = "") -> str:
    """Return "1st–4th: 25 EUR and 3 boosters"."""
    amount = f"{prize.amount} {currency}".rstrip() if prize.amount else ""
    won = _(" and ").join(filter(None, (amount, prize.what)))
    return _("%(who)s: %(won)s") % {"who": condition_words(prize), "won": won}


def prizes_words(prizes: Iterable[dict]) -> str:
    return "; ".join(prize_words(Prize(**prize)) for prize in prizes)
