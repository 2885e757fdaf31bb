"""Push notifications of new pairings, disputed reports and other phones: whom an action concerns, and sending.

A log listener that works in threads. A message is encrypted for one phone, signed for its push service, and sent only
there. The address comes from the player's browser, so it is not trusted: it must be https on the usual port, at a
public host name that resolves only to public addresses when the message is sent. Redirects are not followed, and
everything must take at most `SECONDS`.
"""

import base64
import functools
import ipaddress
import json
import logging
import os
import re
import socket
import ssl
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from email.utils import parseaddr
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from tournament.access.throttle import DISPUTES
from tournament.actionlog.actors import PHONE
from tournament.actionlog.background import Background
from tournament.actionlog.fold import Change
from tournament.event.display_names import drop_full_stop, load_public_names
from tournament.event.rounds import round_name
from tournament.event.table_plan import table_name
from tournament.models import Action, Entry, PushSubscription, Round, Tournament
from tournament.progress.posted_rounds import PostedLine, lines_by_name, list_posted_tables
from tournament.services.reports import find_phone_report

logger = logging.getLogger("tournament.log")

MOST_PHONES = 5  # phones of one player; the oldest go first
GONE = (404, 410)  # statuses of an ended subscription
MOST_SLOW = 3  # timeouts of a push service per published round
EVERYONE = ""  # instead of a table's key

THREADS = Background("push", 16)


def subscribe_phone(entry: Entry, endpoint: str, **keys: str) -> None:
    """Save a phone by the URL of its push service, with its public key `p256dh` and its secret `auth` in base64url."""
    with transaction.atomic():
        entry.push_subscriptions.update_or_create(endpoint=endpoint, defaults=keys)
        newest = entry.push_subscriptions.order_by("-pk").values_list("pk", flat=True)[:MOST_PHONES]
        entry.push_subscriptions.exclude(pk__in=list(newest)).delete()


def unsubscribe_phone(entry: Entry, endpoint: str = "") -> None:
    """End the subscription of this phone; without an address, of all the player's phones."""
    phones = entry.push_subscriptions
    (phones.filter(endpoint=endpoint) if endpoint else phones.all()).delete()


def push_news(tournament: Tournament, action: Action) -> None:
    """Notify the phones that an action concerns. Returns at once."""
    pairings, reports = news_in(action.changes) if settings.HTTPS else ({}, set())
    up = tournament.rounds.filter(number__in=pairings, state=Round.State.PUBLISHED) if pairings else ()
    for round_ in up:  # still published
        THREADS.submit(notify_new_pairings, tournament, round_.pk, pairings[round_.number])
    for number, table in reports:
        THREADS.submit(notify_dispute, tournament, number, table)
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


def notify_new_pairings(tournament: Tournament, pk: int, facts: set[str]) -> None:
    """Notify the players of a round's tables, all or those of these facts, while the round is published."""
    round_ = tournament.rounds.filter(pk=pk, state=Round.State.PUBLISHED).first()
    phones = defaultdict(list)
    for phone in _event_phones(tournament) if round_ else ():
        phones[phone.entry.code].append(phone)
    if round_ is None or not phones:
        return
    tables = list_posted_tables(round_, load_public_names(tournament), results=False)
    new = [table for table in tables if facts & {EVERYONE, table.fact.key_in(round_.number)}]
    messages = (
        (phone, pairing_words(tournament, round_, line))
        for line in lines_by_name(new)
        for phone in phones[line.me.code]
    )
    _send(tournament, messages)


def notify_dispute(tournament: Tournament, number: int, table: int) -> None:
    """Notify both players once if their reports differ, however often they change."""
    seated = {"entry__seats__round__number": number, "entry__seats__match__table": table}
    phones = list(_event_phones(tournament).filter(**seated))
    report = find_phone_report(tournament, phones[0].entry) if phones else None
    if report is None or report.number != number or report.state != "disputed":
        return
    players = sorted((report.seat.entry.code, report.opponent_code))
    if DISPUTES.count(f"{report.match.pk}/{'/'.join(players)}"):
        _send(tournament, ((phone, report.dispute) for phone in phones))


def tell_other_phones(tournament: Tournament, code: str) -> None:
    """Notify a player's phones that another phone has opened the player's page. Returns at once."""
    phones = list(_event_phones(tournament).filter(entry__code=code)) if settings.HTTPS else []
    if phones:
        text = _(
            "Another phone now opens your page. If it is not yours, ask at the event desk for a new link."
        )
        _send(tournament, ((phone, text) for phone in phones))


def _event_phones(tournament: Tournament) -> QuerySet[PushSubscription]:
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
        "r": round_name(round_, tournament).title,
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
    """Send one message. Deletes a phone that no longer exists; skips a push service that has been slow before."""
    host = str(urlsplit(phone.endpoint).hostname)
    if slow[host] >= MOST_SLOW:
        return
    try:
        status: int | OSError = push(phone, payload)
    except OSError as error:
        status = error
        slow[host] += isinstance(error, TimeoutError | socket.gaierror)
    if status in GONE:
        phone.delete()
    elif status not in range(200, 300):
        logger.warning("push to %s: %s", host, status)


# --- one message to one phone ---


TTL = 30 * 60  # seconds that a push service keeps the message for a phone that is off: the length of a round
TOKEN_LASTS = 12 * 60 * 60  # seconds; push services take no more than 24 hours
RECORD_SIZE = 4096  # bytes; a push service need not take longer messages
SECONDS = 10  # for connecting, sending and the answer
LEAST = 0.001  # seconds; 0 would mean no timeout
LONGEST_STATUS = 1000  # bytes that are read of the answer
# A host name whose last part begins with a letter, and so is no IP address in any notation.
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ENDPOINT = re.compile(rf"https://(?P<host>(?:{_LABEL}\.)+(?![0-9]){_LABEL})(?::443)?(?P<path>/[!-~]+)")
_PRIVATE_NAMES = re.compile(r".*\.(localhost|local|localdomain|internal|intranet|lan|home|corp|arpa|onion)")
# IPv6 addresses assigned to hosts; mapped and NAT64 ones are mostly outside.
_UNICAST = ipaddress.ip_network("2000::/3")
# IANA's special-purpose networks that Python 3.11 calls global: IETF protocols, 6to4 relays, documentation.
_SPECIAL = [*map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20"))]
_ISATAP = re.compile(rb".{8}[\x00\x02]\x00\x5e\xfe", re.DOTALL)  # then comes an IPv4 address, in any network


def is_public_endpoint(endpoint: str) -> bool:
    """Whether the URL could be a push service's, by its form alone, without a DNS query."""
    found = _ENDPOINT.fullmatch(endpoint)
    host = found["host"] if found else ""
    return 0 < len(host) <= 253 and not _PRIVATE_NAMES.fullmatch(host)


def is_phone_key(p256dh: str, auth: str) -> bool:
    """Whether these are a point on P-256 and 16 bytes."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(p256dh))
        return len(_decode(auth)) == 16
    except ValueError:
        return False


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


@functools.cache
def _signing_key(secret: str) -> ec.EllipticCurvePrivateKey:
    """Return the signing key (VAPID, RFC 8292), derived from SECRET_KEY: the same in every process and machine."""
    digest = salted_hmac("tournament.push:v1", "", secret=secret, algorithm="sha512").digest()
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256 (FIPS 186)
    return ec.derive_private_key(int.from_bytes(digest, "big") % (order - 1) + 1, ec.SECP256R1())


def server_key() -> str:
    """Return the public key that browsers subscribe with, in base64url."""
    return _encode(_point(_signing_key(settings.SECRET_KEY)))


def encrypt(content: bytes, phone: PushSubscription, key: ec.EllipticCurvePrivateKey, salt: bytes) -> bytes:
    """Encrypt a message (RFC 8291) as an aes128gcm record (RFC 8188). Use `key` and `salt` (16 bytes) only once."""
    point, public = _decode(phone.p256dh), _point(key)
    secret = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point))
    info = b"WebPush: info\0" + point + public
    shared = HKDF(SHA256(), 32, _decode(phone.auth), info).derive(secret)
    content_key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(shared)
    nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(shared)
    sealed = AESGCM(content_key).encrypt(nonce, content + b"\2", None)  # 2: the last record
    return salt + RECORD_SIZE.to_bytes(4) + bytes([len(public)]) + public + sealed


def _authorization(endpoint: str, contact: str) -> str:
    """Return the VAPID header (RFC 8292): a JSON Web Token for this push service, signed with ES256."""
    claims = {
        "aud": f"https://{urlsplit(endpoint).hostname}",
        "exp": int(time.time()) + TOKEN_LASTS,
        "sub": f"mailto:{contact}",
    }
    parts = ({"typ": "JWT", "alg": "ES256"}, claims)
    token = ".".join(_encode(json.dumps(part).encode()) for part in parts)
    signature = _signing_key(settings.SECRET_KEY).sign(token.encode(), ec.ECDSA(SHA256()))
    numbers = b"".join(number.to_bytes(32) for number in decode_dss_signature(signature))
    return f"vapid t={token}.{_encode(numbers)}, k={server_key()}"


def push(phone: PushSubscription, text: str) -> int:
    """Send a text to a phone. Returns the push service's status. Raises OSError without a response."""
    contact = parseaddr(settings.DEFAULT_FROM_EMAIL)[1] if settings.MAIL else ""
    contact = contact or f"push@{urlsplit(settings.SITE_URL).hostname}"
    headers = {
        "ttl": TTL,
        "urgency": "high",
        "content-encoding": "aes128gcm",
        "authorization": _authorization(phone.endpoint, contact),
    }
    body = encrypt(text.encode(), phone, ec.generate_private_key(ec.SECP256R1()), os.urandom(16))
    return _post(phone.endpoint, headers, body)


def _post(endpoint: str, headers: dict[str, Any], body: bytes) -> int:
    """POST and return the status; reads only the response's first line. Raises OSError."""
    found = _ENDPOINT.fullmatch(endpoint)
    if not found:
        raise OSError("not an address of a push service")
    host, end = found["host"], time.monotonic() + SECONDS
    lines = {"host": host, "content-length": len(body), "connection": "close", **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.create_connection(_public_address(host), timeout=SECONDS) as plain:
        plain.settimeout(max(end - time.monotonic(), LEAST))
        with _tls().wrap_socket(plain, server_hostname=host) as connection:
            connection.settimeout(max(end - time.monotonic(), LEAST))
            connection.sendall(f"POST {found['path']} HTTP/1.1\r\n{head}\r\n".encode("ascii") + body)
            answer = b""
            while b"\r\n" not in answer and len(answer) < LONGEST_STATUS:
                connection.settimeout(max(end - time.monotonic(), LEAST))
                if not (part := connection.recv(LONGEST_STATUS)):
                    break
                answer += part
    status = re.match(rb"HTTP/1\.[01] (\d{3})\b", answer)
    if not status:
        raise OSError("not an answer of a push service")
    return int(status[1])


@functools.cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _public_address(host: str) -> tuple[str, int]:
    """Return an address to connect to. Raises OSError if any address of the host is private."""
    found = [str(each[4][0]) for each in socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)]
    if not all(map(_is_public, found)):
        raise OSError("a private address")
    return found[0], 443


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    if ip.version == 6 and (ip not in _UNICAST or ip.sixtofour or ip.teredo or _ISATAP.match(ip.packed)):
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _SPECIAL)
