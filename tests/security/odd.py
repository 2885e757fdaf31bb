"""Odd values for the fuzzer: numbers, texts, times, files, headers and methods that no form of ours sends."""

from tests.security.hostile import WAYS

MARK = "zqqqq"
EVIL = "evil.example"

NUMBERS = "0 -1 1 2 3 12 -0 +5 1_000 1.5 1,5 0x10 1e309 NaN infinity 32768 2147483648 ٣ ½ ² 1/0".split()
NUMBERS += ["9223372036854775808", "9" * 30, "9" * 5000, "0" * 400, " 1 "]
WORDS = (
    'id on off true null [] {} {"a": \' \\ % %zz %s%n%(x)s ? =1+1 owner judge clock pairings 20 2-1'.split()
)
CODES = "P0001 P0002 P0005 P0012 P9999 p0001".split()
UNICODE = ["\0", "a\0b", "\ud800", "\udcff", "\u202eabc", "\ufb1d" * 120, "e\u0301" * 100, "\u0301" * 300]
UNICODE += ["\x1e", "\x85", "\ufeff", "🏳️‍🌈" * 30]
ATTACKS = [WAYS["markup"](MARK), WAYS["links"](MARK), f"//{EVIL}/", f"https://{EVIL}/", "javascript:alert(1)"]
ATTACKS += [
    "'; DROP TABLE tournament_tournament --",
    "../../etc/passwd",
    "\r\nX-Evil: 1",
    "[" * 3000,
    "x" * 5000,
]
LINES = ["", " ", "1 20", "12 21", "1 +5 why", "1 20 drop a"]
TIMES = "2026-13-45 0001-01-01T00:00 9999-12-31T23:59 2026-03-29T02:30 25:61 -1:00 24:00".split()
VALUES = NUMBERS + WORDS + CODES + UNICODE + ATTACKS + LINES + TIMES

FILES = [b"", b"\0" * 50, b"[" * 50_000, b"\xe9\xe8;1\n", b'"Ada\n' * 500, b",,,,\n" * 900, b"PK\x03\x04" * 9]
FILES += ["\ufeffName\nAda\n".encode(code) for code in ("utf-8", "utf-16-le")]
FILES += [b'{"format": 1, "entries": []}', b'{"a": 1e999, "a": NaN}', b'{"name": ' + b"9" * 6000 + b"}"]
FILES += [b"Name;Rating\n=cmd();1\n<script>;x\n"]

# Fields of rows that no form offers: mass assignment.
FORGED = """
    id pk tournament tournament_id entry entry_id match_id round_id user user_id owner owner_id role is_staff
    is_superuser state status seed revision version demo slug key key_hash actor link_secret username password
    winner result lot manual code next reason name
""".split()
FORMSETS = "TOTAL_FORMS INITIAL_FORMS MIN_NUM_FORMS MAX_NUM_FORMS 0-id 0-DELETE 0-ORDER 7-id".split()
PARAMETERS = (
    "v page after by session show tables round theme q next code name line score seed start game".split()
)

METHODS = "HEAD OPTIONS PUT DELETE PATCH TRACE PROPFIND get BREW".split()
FORM = "application/x-www-form-urlencoded"
TYPES = ["application/json", "text/plain", "x", "multipart/form-data", "multipart/form-data; boundary=\xe9"]
TYPES += [f"{FORM}; charset=utf-7", f"{FORM}; charset=nonsense"]
HEADERS: dict[str, list[str]] = {
    "HTTP_HX_REQUEST": ["true", "false", "x"],
    "HTTP_HX_BOOSTED": ["true"],
    "HTTP_HX_TARGET": ["x", "match-1", '"><b>', "%"],
    "HTTP_HX_CURRENT_URL": ["http://[", "x", f"https://{EVIL}/", f"http://testserver/{'x' * 17_000}"],
    "HTTP_HX_TRIGGER": ["{", "x"],
    "HTTP_REFERER": ["http://[", "x", f"https://{EVIL}/", "/\r\n", f"http://testserver/{'x' * 17_000}"],
    "HTTP_ORIGIN": ["null", f"https://{EVIL}"],
    "HTTP_HOST": [EVIL, "127.0.0.1:99999", "[::1", "a b", ""],
    "HTTP_X_FORWARDED_HOST": [EVIL],
    "HTTP_X_FORWARDED_FOR": [EVIL, "1.2.3.4, x", "::", "," * 500],
    "HTTP_X_FORWARDED_PROTO": ["https", "x"],
    "HTTP_X_REQUEST_ID": ["x" * 999, "a\nb"],
    "HTTP_ACCEPT": ["*", "application/json", "q=", "text/html;q=x"],
    "HTTP_ACCEPT_ENCODING": ["gzip;q=x", "br, gzip", "*;q=0", "identity;q=0"],
    "HTTP_ACCEPT_LANGUAGE": ["xx-" * 200, "de;q=9", "\xe9"],
    "HTTP_IF_NONE_MATCH": ["*", '"', 'W/"x', "y", "x" * 999],
    "HTTP_IF_MODIFIED_SINCE": ["x", "Mon, 99 Foo 9999 99:99:99 GMT"],
    "HTTP_RANGE": ["bytes=0-1", "bytes=-99", "x"],
    "HTTP_AUTHORIZATION": ["Bearer x", "Basic \xe9", "x"],
    "HTTP_X_HTTP_METHOD_OVERRIDE": ["DELETE"],
    "CONTENT_LENGTH": ["0"],
}
COOKIES = ["\0", "a\\000b", "x" * 4000, "é", ".".join(["0" * 32] * 99), '"', ";", "../x"]
