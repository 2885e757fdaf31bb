"""Player links that staff hand out: for everyone at once, or a new one for a player who lost it."""

import secrets

from tournament.access.player_link import derive_key, hash_of
from tournament.actionlog.service import Log, service
from tournament.models import Entry, Tournament
from tournament.services.entries import unmerged_entry_of

Status = Entry.Status
GET_LINKS = (Status.REGISTERED, Status.WAITLISTED, Status.PLAYING)


@service("player links", after_end=True)
def make_links(log: Log) -> None:
    """A link for each player who has none, all at once. Links that exist stay, and no revoked one comes back."""
    entries = list(log.tournament.entries.filter(key_hash="", house=False, status__in=GET_LINKS))
    for entry in entries:
        _advance(log.tournament, entry)
    log.set_personal_of(entries, ("key_hash", "link_number"))


@service("player link", after_end=True)
def renew_link(log: Log, code: str) -> None:
    """A new link for a player; the one before opens nothing anymore, and all push subscriptions end."""
    entry = unmerged_entry_of(log.tournament, code)
    _advance(log.tournament, entry)
    entry.push_subscriptions.all().delete()
    log.set_personal(entry, key_hash=entry.key_hash, link_number=entry.link_number)


def _advance(tournament: Tournament, entry: Entry) -> None:
    """Let the entry have its next link. Numbers only grow, so that a link once revoked stays so."""
    if not tournament.link_secret:
        tournament.link_secret = secrets.token_hex(32)
        tournament.save(update_fields=["link_secret"])
    entry.link_number += 1
    entry.key_hash = hash_of(derive_key(tournament, entry.code, entry.link_number))
