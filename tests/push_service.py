"""A push service of our own on the loopback: it takes messages as phones' makers do, and reads them as phones do."""

import base64
import http.server
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import trustme
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tournament import push

HOST = "push.example.net"


def web64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def from_web64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def claims_of(authorization: str) -> tuple[dict, str]:
    """Return the claims of a VAPID header and its key (RFC 8292). Raises InvalidSignature."""
    scheme, token, named = authorization.split(" ")
    assert (scheme, token[:2], token[-1], named[:2]) == ("vapid", "t=", ",", "k=")
    signed, _dot, signature = token[2:-1].rpartition(".")
    header, claims = (json.loads(from_web64(part)) for part in signed.split("."))
    assert header == {"typ": "JWT", "alg": "ES256"}
    numbers = from_web64(signature)
    assert len(numbers) == 64
    r, s = (int.from_bytes(half, "big") for half in (numbers[:32], numbers[32:]))
    signer = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_web64(named[2:]))
    signer.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(SHA256()))
    return claims, named[2:]


class Receiver:
    """A browser on a phone: its keys, and how it reads a message (RFC 8291)."""

    def __init__(self, path: str = "/phone-1"):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = b"16 bytes, secret"
        self.endpoint = f"https://{HOST}{path}"

    @property
    def sent(self) -> dict[str, str]:
        return {
            "endpoint": self.endpoint,
            "p256dh": web64(point_of(self.key.public_key())),
            "auth": web64(self.secret),
        }

    def read(self, body: bytes) -> str:
        salt, length = body[:16], body[20]
        point, content = body[21 : 21 + length], body[21 + length :]
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        info = b"WebPush: info\0" + point_of(self.key.public_key()) + point
        shared = HKDF(SHA256(), 32, self.secret, info).derive(self.key.exchange(ec.ECDH(), sender))
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(shared)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(shared)
        return AESGCM(key).decrypt(nonce, content, None).rstrip(b"\0").removesuffix(b"\2").decode()


class Service:
    """A push service that records its messages. `status`: of its responses; `waits`: seconds before each."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, dict[str, str], bytes]] = []
        self.status, self.waits = 201, 0.0
        self.answer = b""

    def texts(self, phone: Receiver) -> list[str]:
        """The messages to a phone, read by it, each signed for this service with the key that browsers got."""
        messages = []
        for path, headers, body in self.taken:
            claims, key = claims_of(headers["authorization"])
            assert (claims["aud"], key) == (f"https://{HOST}", push.server_key())
            assert claims["sub"].startswith("mailto:") and 0 < claims["exp"] - time.time() < 24 * 60 * 60
            assert headers["content-encoding"] == "aes128gcm"
            assert (headers["ttl"], headers["urgency"]) == (str(push.TTL), "high")
            if phone.endpoint.endswith(path):
                messages.append(json.loads(phone.read(body))["body"])
        return messages


@contextmanager
def push_service(monkeypatch) -> Iterator[Service]:
    """It runs, and the guard of addresses lets its name, and no other, lead to the loopback."""
    service = Service()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.taken.append(
                (self.path, {name.lower(): text for name, text in self.headers.items()}, body)
            )
            time.sleep(service.waits)
            if service.answer:
                self.wfile.write(service.answer)
                return
            self.send_response(service.status)
            self.send_header("Location", f"https://{HOST}/elsewhere")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nobody reads it."""

    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *args: None  # who hangs up early is no news
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    guard = push._public_address
    monkeypatch.setattr(push, "_tls", lambda: trusting)
    monkeypatch.setattr(
        push, "_public_address", lambda host: server.server_address if host == HOST else guard(host)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def looked_up(*addresses: str):
    return lambda host, port, **options: [
        (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
        for each in addresses
    ]
