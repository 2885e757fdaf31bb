from django.test import Client

from tests.factories import TournamentFactory
from tests.tournament.views.desk import key
from tournament.access.player_link import fresh_player_key, hash_key
from tournament.models import Tournament
from tournament.services.event_settings import change_registration
from tournament.services.self_service import change_player_link


def opened(players: int = 2, owner=None, **settings) -> Tournament:
    tournament = TournamentFactory(entries=players, owner=owner)
    change_registration(tournament, **{"self_registration": True, **settings})
    return tournament


def filled(tournament: Tournament, name: str = "Kim Lee", **fields) -> dict[str, str]:
    return {"key": key(), "player_key": fresh_player_key(), "name": name, **fields}


def enrol(client: Client, tournament: Tournament, name: str = "Kim Lee", **fields):
    return client.post(f"/t/{tournament.slug}/register/", filled(tournament, name, **fields))


def known(client: Client, tournament: Tournament, code: str = "P0001") -> str:
    """Let this client hold the key of an entry. Answers the own page's address."""
    secret = fresh_player_key()
    change_player_link(tournament, code, key_hash=hash_key(secret))
    assert client.get(f"/t/{tournament.slug}/key/{secret}/").status_code == 303
    return f"/t/{tournament.slug}/me/{code}/"


def text(answer) -> str:
    return answer.content.decode()
