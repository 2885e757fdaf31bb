"""Names that are written from right to left, in a real browser: they turn no score."""

import pytest

from tests.browser import open_as
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tournament.models import Match
from tournament.services.entries import rename_entry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# Where the parts of the first text that has them all are painted, from left to right.
PAINTED = """(parts) => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const starts = parts.map((part) => node.data.indexOf(part));
    if (starts.includes(-1)) continue;
    const left = (start, length) => {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + length);
      return range.getBoundingClientRect().left;
    };
    return parts.map((part, n) => left(starts[n], part.length));
  }
}"""


def test_a_score_between_two_such_names_is_read_from_left_to_right(page, live_server):
    tournament = TournamentFactory(entries=2)
    rename_entry(tournament, "P0001", "محمد")
    rename_entry(tournament, "P0002", "דוד")
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    seats = Match.objects.get(round__tournament=tournament).seats.order_by("side")
    first, second = [seat.entry.name for seat in seats]
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/log/")
    painted = page.evaluate(PAINTED, [first, " 2", "–0", second])
    assert painted and painted == sorted(painted)
