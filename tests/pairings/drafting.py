import io
import json

from django.core.management import call_command

from pairings.draft.services import draft_next_round
from tests.factories import enter_results
from tests.pages import Page
from tests.tournament.views.desk import key, running
from tournament.archive.load import dump_event
from tournament.services.results import record_result


def drafting(client, players=8, slip=None, **fields):
    """The draft of round 2, its owner signed in; with a `slip` that is the result of table 1 in round 1."""
    tournament = running(client, players, **fields)
    if slip is not None:
        record_result(tournament, 1, 1, slip)
    enter_results(tournament, 1)
    draft_next_round(tournament)
    return tournament


def draft_address(tournament, what="", number=2):
    return f"/t/{tournament.slug}/desk/rounds/{number}/draft/{what}"


def at_table(tournament, table, number=2):
    seats = tournament.rounds.get(number=number).seats.filter(match__table=table).order_by("side")
    return [seat.entry for seat in seats.select_related("entry")]


def seated(tournament, number=1):
    """{table: {codes}} of a round; those without an opponent stand under None."""
    seats: dict = {}
    for seat in tournament.rounds.get(number=number).seats.select_related("match", "entry"):
        seats.setdefault(seat.match.table, set()).add(seat.entry.code)
    return seats


def revision(tournament, number=1):
    return tournament.rounds.get(number=number).revision


def edit(client, tournament, what, number=2, **fields):
    sent = {"key": key(), "seen": revision(tournament, number), **fields}
    return Page(client.post(draft_address(tournament, what, number), sent, follow=True))


def drawn_again(tmp_path, tournament, number, *arguments):
    """Run `pair --round` on a dump of the event. Returns its document and exit code."""
    file, out = tmp_path / "event.json", io.StringIO()
    file.write_text(dump_event(tournament, with_seed=True), encoding="utf-8")
    try:
        call_command("pair", str(file), "--round", str(number), "--json", *arguments, stdout=out)
    except SystemExit as ended:
        return json.loads(out.getvalue()), ended.code
    return json.loads(out.getvalue()), 0
