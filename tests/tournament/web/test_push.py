import socket

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec

from tests.push_service import HOST, Receiver, claims_of, from_web64, looked_up, push_service, web64
from tournament import push
from tournament.models import PushSubscription
from tournament.push import is_phone_key, is_public_endpoint

PUBLIC = (
    "https://fcm.googleapis.com/fcm/send/abc:APA91b-_",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA",
    "https://web.push.apple.com/QFk",
    "https://wns2-by3p.notify.windows.com:443/w/?token=BQ%3d",
)
NOT_PUBLIC = (
    "http://fcm.googleapis.com/x",
    "https://localhost/x",
    "https://printer/x",
    "https://printer.local/x",
    "https://db.internal/x",
    "https://127.0.0.1/x",
    "https://10.0.0.7/x",
    "https://169.254.169.254/latest/meta-data/",
    "https://2130706433/x",
    "https://0x7f.0.0.1/x",
    "https://0177.0.0.1/x",
    "https://127.1/x",
    "https://127.0.0.0x1/x",
    "https://[::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[fe80::1%25eth0]/x",
    "https://127.0.0.1.:443/x",
    "https://１２７.0.0.1/x",
    "https://player:secret@fcm.googleapis.com/x",
    "https://fcm.googleapis.com@127.0.0.1/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com:22/x",
    "https://fcm.googleapis.com./x",
    "https://fcm.googleapis.com\\@127.0.0.1/x",
    "https://fcm.googleapis.com/x y",
    "https://fcm.googleapis.com/x\r\nHost: 127.0.0.1",
    "https://fcm.googleapis.com",
    f"https://{'a.' * 130}com/x",
    "file:///etc/passwd",
    "",
)
# With the last address of each block that is not globally reachable by IANA's special-purpose registries.
PRIVATE = """
    127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 
    0.255.255.255 100.64.0.0 100.127.255.255 169.254.255.255 172.31.255.255 192.0.0.0 192.0.0.8 
    192.0.0.9 192.0.0.170 192.0.0.255 192.0.2.255 192.88.99.0 192.88.99.1 192.88.99.255 198.18.0.0 
    198.19.255.255 198.51.100.255 203.0.113.255 239.255.255.255 240.0.0.0 255.255.255.255 100::1 
    100:0:0:1::1 2001:1::1 2001:2::1 2001:1f:ffff::1 2001:2f:ffff::1 2001:3f:ffff::1 2001:1ff:ffff::1 
    2001:db8:ffff::1 2002:808:808::1 3fff::1 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 5f00::1 ::1 
    fe80::1 fd00::1 ff02::1 ::ffff:8.8.8.8 64:ff9b::a00:1 64:ff9b:1::7f00:1 fec0::1 ::127.0.0.1 
    ::ffff:127.0.0.1 ::ffff:0:127.0.0.1 2a00::5efe:7f00:1 2a00::200:5efe:8.8.8.8 2001:0:7f00:1:: 
    2002:7f00:1:: 4000::1
""".split()


# RFC 8291, appendix A.
PLAIN = b"When I grow up, I want to be a watermelon"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
PHONE = PushSubscription(
    endpoint="https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
    p256dh="BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth="BTBZMqHH6r4Tts7J_aSIgg",
)
SEALED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3j"
    "l7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)
# RFC 8292, section 2.4.
AUTHORIZATION = (
    "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3Njgs"
    "InN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjj"
    "vW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
)


@pytest.fixture
def service(monkeypatch, settings):
    settings.SITE_URL = "https://events.example.org"
    with push_service(monkeypatch) as running:
        yield running


def phone_of(receiver: Receiver) -> PushSubscription:
    return PushSubscription(**receiver.sent)


def test_only_addresses_of_push_services_on_the_open_internet_are_taken():
    assert [endpoint for endpoint in PUBLIC if not is_public_endpoint(endpoint)] == []
    assert [endpoint for endpoint in NOT_PUBLIC if is_public_endpoint(endpoint)] == []


def test_a_name_that_leads_into_our_own_network_is_not_connected_to(monkeypatch):
    monkeypatch.setattr(socket, "create_connection", lambda *args, **options: pytest.fail("connected"))
    for address in PRIVATE:
        monkeypatch.setattr(socket, "getaddrinfo", looked_up("8.8.8.8", address))
        with pytest.raises(OSError, match="a private address"):
            push.push(phone_of(Receiver()), "hello")
    beside = ("192.0.1.1", "192.88.98.255", "198.20.0.1", "2001:200::1", "2001:4860:4860::8888")
    assert all(map(push._is_public, beside))


def test_what_was_looked_up_is_what_is_connected_to(monkeypatch):
    asked = []
    monkeypatch.setattr(socket, "getaddrinfo", looked_up("8.8.8.8", "2001:4860:4860::8888"))

    def connect(address, timeout):
        asked.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(ConnectionRefusedError):
        push.push(phone_of(Receiver()), "hello")
    assert asked == [("8.8.8.8", 443)]


def test_the_phone_reads_what_was_said_and_no_one_else(service):
    phone = Receiver()
    assert push.push(phone_of(phone), '{"body": "Round 4: Zoë"}') == 201
    assert service.texts(phone) == ["Round 4: Zoë"]
    assert b"Round" not in service.taken[0][2]


def test_messages_are_encrypted_and_signed_as_the_rfc_prints_them():
    sender = ec.derive_private_key(int.from_bytes(from_web64(SENDER), "big"), ec.SECP256R1())
    assert web64(push.encrypt(PLAIN, PHONE, sender, from_web64(SALT))) == SEALED
    claims, _key = claims_of(AUTHORIZATION)
    assert claims == {"aud": "https://push.example.net", "exp": 1453523768, "sub": "mailto:push@example.com"}
    with pytest.raises(InvalidSignature):
        claims_of(AUTHORIZATION.replace("i3CY", "i3CZ"))


def test_each_message_has_a_salt_and_a_key_of_its_own(service):
    phone = Receiver()
    for _ in range(2):
        push.push(phone_of(phone), "hello")
    (_, _, one), (_, _, other) = service.taken
    assert one[:16] != other[:16] and one[21:86] != other[21:86]


def test_no_redirect_is_followed(service):
    service.status = 302
    assert push.push(phone_of(Receiver()), "hello") == 302
    assert [path for path, _headers, _body in service.taken] == ["/phone-1"]


@pytest.mark.parametrize("answer", [b"x" * 5_000_000, b"SSH-2.0-OpenSSH_9\r\n"])
def test_what_is_no_answer_is_not_read_on(service, answer):
    service.answer = answer
    with pytest.raises(OSError, match="not an answer"):
        push.push(phone_of(Receiver()), "hello")


def test_a_service_that_hangs_is_left_in_time(service, monkeypatch):
    monkeypatch.setattr(push, "SECONDS", 0.5)
    service.waits = 5  # then it would answer
    with pytest.raises(TimeoutError):
        push.push(phone_of(Receiver()), "hello")


def test_another_certificate_is_not_trusted(service, monkeypatch):
    here = push._public_address(HOST)
    monkeypatch.setattr(push, "_public_address", lambda host: here)
    with pytest.raises(OSError, match="certificate"):
        push.push(PushSubscription(**Receiver().sent | {"endpoint": "https://other.example.net/x"}), "hello")


def test_keys_that_encrypt_nothing_are_known():
    sent = Receiver().sent
    assert is_phone_key(sent["p256dh"], sent["auth"])
    wrong = [("", ""), ("AAAA", sent["auth"]), (sent["p256dh"], "AAAA"), ("é", "é"), ("BA" * 44, "A" * 22)]
    assert not any(is_phone_key(p256dh, auth) for p256dh, auth in wrong)


def test_the_key_stays_the_same_until_the_secret_key_changes(settings):
    first = push.server_key()
    assert push.server_key() == first
    settings.SECRET_KEY = "another"
    assert push.server_key() != first
