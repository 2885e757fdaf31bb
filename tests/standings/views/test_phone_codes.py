"""Who prints the phone codes, which open players' own pages and sign results."""

import pytest

from tests.factories import TournamentFactory
from tournament.models import Staff
from tournament.results.slip_code import phone_code
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("role", "judges_may", "shown"),
    [
        ("owner", False, True),
        ("scorekeeper", False, True),
        ("judge", True, True),
        ("judge", False, False),
    ],
)
def test_only_who_may_enter_results_prints_the_phone_codes(client, role, judges_may, shown):
    event = TournamentFactory(entries=4, published=True)
    change_settings(event, reporting="on", judge_results=judges_may)
    client.force_login(event.owner)
    Staff.objects.filter(tournament=event).update(role=role)
    table = event.seats.get(entry__code="P0001").match.table
    page = client.get(f"/t/{event.slug}/desk/rounds/1/print/slips/").content.decode()
    assert page.count('aria-label="Match slip, table ') == 2
    code = phone_code(event.pk, 1, table, "P0001")
    assert (f"<strong>{code}</strong>" in page, "Phone code" in page) == (shown, shown)
