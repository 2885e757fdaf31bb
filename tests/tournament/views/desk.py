import uuid

from django.contrib.auth.models import User

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.models import Match, Staff, Tournament
from tournament.results.shorthand import slip_check

HTMX = {"HTTP_HX_REQUEST": "true"}


def signed_in(client, **fields) -> Tournament:
    tournament = TournamentFactory(**fields)
    client.force_login(tournament.owner)
    return tournament


def sign_in_staff(client, tournament: Tournament, role: str = "judge", **fields) -> User:
    user = UserFactory(**fields)
    Staff.objects.create(tournament=tournament, user=user, role=role)
    client.force_login(user)
    return user


def running(client, players: int = 8, **fields) -> Tournament:
    tournament = signed_in(client, entries=players, **fields)
    RoundFactory(tournament=tournament)
    return tournament


def match_of(tournament: Tournament, table: int = 1, number: int = 1) -> Match:
    return Match.objects.get(round__tournament=tournament, round__number=number, table=table)


def code_of(tournament: Tournament, table: int, number: int = 1) -> str:
    seats = match_of(tournament, table, number).seats.order_by("side").values_list("entry__code", flat=True)
    return f"{number}-{table}-{slip_check(tournament.slug, number, table, tuple(seats))}"


def desk(tournament: Tournament, part: str = "") -> str:
    return f"/t/{tournament.slug}/desk/{part}"


def key() -> str:
    return uuid.uuid4().hex


def post_slip(client, tournament, table=1, number=1, htmx=True, **fields):
    """A slip as a row sends it; the version is the current one unless given."""
    if "version" not in fields:
        match = Match.objects.filter(round__tournament=tournament, round__number=number, table=table).first()
        fields["version"] = match.version if match else 0
    fields.setdefault("key", key())
    address = f"/t/{tournament.slug}/rounds/{number}/tables/{table}/result/"
    return client.post(address, fields, **(HTMX if htmx else {}))


def post_line(client, tournament, text, number=1, htmx=True, **fields):
    tournament.refresh_from_db()
    sent = {"text": text, "key": key(), "seen": tournament.revision, **fields}
    return client.post(f"/t/{tournament.slug}/desk/rounds/{number}/box/", sent, **(HTMX if htmx else {}))
