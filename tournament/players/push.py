"""Push notifications of new pairings, disputed reports and other phones: a log listener that works in threads."""

import json
import logging
import socket
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.throttle import DISPUTES
from tournament.actionlog.actors import PHONE
from tournament.actionlog.background import Background
from tournament.actionlog.fold import Change
from tournament.event.table_plan import table_name
from tournament.models import Action, PushSubscription, Round, Tournament
from tournament.players.reports import phone_report_of
from tournament.progress.posted_rounds import PostedLine, lines_by_name, tables_of
from tournament.text.display_names import drop_full_stop, public_names_of
from tournament.text.round_names import name_of_round
from tournament.web.push import Phone, push

logger = logging.getLogger("tournament.log")

GONE = (404, 410)  # statuses of an ended subscription
MOST_SLOW = 3  # timeouts of a push service per published round
EVERYONE = ""  # instead of a table's key

THREADS = Background("push", 16)


def push_news(tournament: Tournament, action: Action) -> None:
    """Notify the phones that an action concerns. Returns at once."""
    pairings, reports = news_in(action.changes) if settings.HTTPS else ({}, set())
    up = tournament.rounds.filter(number__in=pairings, state=Round.State.PUBLISHED) if pairings else ()
    for round_ in up:  # still published
        THREADS.submit(notify_of_pairings, tournament, round_.pk, pairings[round_.number])
    for number, table in reports:
        THREADS.submit(notify_of_dispute, tournament, number, table)
    for change in action.changes if action.kind == PHONE else ():
        tell_other_phones(tournament, change["fact"].removeprefix("entries/"))


def news_in(changes: list[Change]) -> tuple[dict[int, set[str]], set[tuple[int, int]]]:
    """Return {round: facts of its newly paired tables, or EVERYONE}, and (round, table) of each report."""
    pairings, reports = defaultdict(set), set()
    for change in changes:
        kind, *names = change["fact"].split("/")
        before, after = change.get("before") or {}, change.get("after") or {}
        if kind != "rounds" or not after:
            continue
        if len(names) == 1 and after.get("state") == "published" and before.get("state", "draft") == "draft":
            pairings[int(names[0])].add(EVERYONE)
        elif len(names) == 3 and {"a", "b"} & set(after):
            pairings[int(names[0])].add(change["fact"])
        elif "reports" in names:
            reports.add((int(names[0]), int(names[2])))
    return dict(pairings), reports


def notify_of_pairings(tournament: Tournament, pk: int, facts: set[str]) -> None:
    """Notify phones of their players' tables in a round, all or those of these facts, while it is published."""
    round_ = tournament.rounds.filter(pk=pk, state=Round.State.PUBLISHED).first()
    phones = defaultdict(list)
    for phone in _phones_of(tournament) if round_ else ():
        phones[phone.entry.code].append(phone)
    if round_ is None or not phones:
        return
    tables = tables_of(round_, public_names_of(tournament), results=False)
    new = [table for table in tables if facts & {EVERYONE, table.fact.key_in(round_.number)}]
    _send(
        tournament,
        (
            (phone, pairing_words(tournament, round_, line))
            for line in lines_by_name(new)
            for phone in phones[line.me.code]
        ),
    )


def notify_of_dispute(tournament: Tournament, number: int, table: int) -> None:
    """Notify both players once if their reports differ, however often the reports change."""
    seated = {"entry__seats__round__number": number, "entry__seats__match__table": table}
    phones = list(_phones_of(tournament).filter(**seated))
    report = phone_report_of(tournament, phones[0].entry) if phones else None
    if report is None or report.number != number or report.state != "disputed":
        return
    players = sorted((report.seat.entry.code, report.opponent_code))
    if DISPUTES.count(f"{report.match.pk}/{'/'.join(players)}"):
        _send(tournament, ((phone, report.dispute) for phone in phones))


def tell_other_phones(tournament: Tournament, code: str) -> None:
    """Notify a player's phones that another phone opens the player's page. Returns at once."""
    phones = list(_phones_of(tournament).filter(entry__code=code)) if settings.HTTPS else []
    if phones:
        text = _(
            "Another phone now opens your page. If it is not yours, ask at the event desk for a new link."
        )
        _send(tournament, ((phone, text) for phone in phones))


def _phones_of(tournament: Tournament) -> QuerySet[PushSubscription]:
    columns = ("endpoint", "p256dh", "auth", "entry__code")
    rows = PushSubscription.objects.filter(entry__tournament=tournament).select_related("entry")
    return rows.only(*columns)


def _send(tournament: Tournament, messages: Iterable[tuple[PushSubscription, str]]) -> None:
    slow: Counter[str] = Counter()
    icon = staticfiles_storage.url("icons/any-192.png")
    for phone, text in messages:
        address = reverse("me-entry", args=[tournament.slug, phone.entry.code])
        payload = {"title": tournament.name, "body": text, "url": address, "icon": icon}
        THREADS.submit(_push_one, phone, json.dumps(payload, ensure_ascii=False), slow)


def pairing_words(tournament: Tournament, round_: Round, line: PostedLine) -> str:
    values = {
        "r": name_of_round(round_, tournament).title,
        "n": table_name(tournament, line.table, round_),
        "what": line.words,
    }
    if line.other is None:
        return _("%(r)s: %(what)s.") % values
    values["other"] = drop_full_stop(line.other.name)
    if not line.table:
        return _("%(r)s: against %(other)s.") % values
    return _("%(r)s: table %(n)s, against %(other)s.") % values


def _push_one(phone: PushSubscription, payload: str, slow: Counter[str]) -> None:
    """Send one message. Deletes a phone that is gone; skips a push service that hung before."""
    host = str(urlsplit(phone.endpoint).hostname)
    if slow[host] >= MOST_SLOW:
        return
    try:
        status: int | OSError = push(Phone(phone.endpoint, phone.p256dh, phone.auth), payload)
    except OSError as error:
        status = error
        slow[host] += isinstance(error, TimeoutError | socket.gaierror)
    if status in GONE:
        phone.delete()
    elif status not in range(200, 300):
        logger.warning("push to %s: %s", host, status)
