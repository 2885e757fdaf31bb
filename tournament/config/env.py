"""Settings from the environment and the machine. Invalid ones raise ImproperlyConfigured, which says what to do."""

import contextlib
import ipaddress
import json
import os
import secrets
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORT = 8000
# Without limits, connections to a server that lost power or network hang for 15 minutes.
SILENCE = {"connect_timeout": "5", "tcp_user_timeout": "8000"}  # s, ms
SILENCE |= {"keepalives_idle": "4", "keepalives_interval": "2", "keepalives_count": "3"}  # s, s
SHORTEST_SECRET = 16
RAM_DISK = Path("/dev/shm")  # noqa: S108  (for the tests alone)
SIOCGIFADDR = 0x8915  # Linux: the IPv4 address of an interface


def whole_number(env: Mapping[str, str], name: str, *, most: int, example: int) -> int | None:
    text = env.get(name, "").strip()
    if text and not (text.isascii() and text.isdigit() and 0 < int(text) <= most):
        raise ImproperlyConfigured(
            f"{name}={text} is not valid. Use a number from 1 to {most}, such as {name}={example}."
        )
    return int(text) if text else None


def listen_address(env: Mapping[str, str]) -> tuple[str, int]:
    port = whole_number(env, "PORT", most=65535, example=8080)
    return env.get("HOST", "").strip() or "127.0.0.1", port or DEFAULT_PORT


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1", "[::1]") or host.startswith("127.")


def lan_address() -> str:
    """Return this machine's address on its default route, else on its first network, else 127.0.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        with contextlib.suppress(OSError):
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return str(probe.getsockname()[0])
        return next((address for address in own_addresses(probe) if not is_loopback(address)), "127.0.0.1")


def own_addresses(probe: socket.socket) -> Iterator[str]:
    """Yield the IPv4 addresses of this machine's interfaces (on Linux), or those of its host name."""
    if sys.platform != "linux":
        with contextlib.suppress(OSError):
            yield from socket.gethostbyname_ex(socket.gethostname())[2]
        return
    import fcntl

    for _index, name in socket.if_nameindex():
        with contextlib.suppress(OSError):  # an interface without an address
            reply = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, struct.pack("256s", name.encode()))
            yield socket.inet_ntoa(reply[20:24])


def site_url(env: Mapping[str, str]) -> str:
    """Return SITE_URL, else a URL from HOST and PORT. Only scheme and host, without a final slash."""
    if url := env.get("SITE_URL", "").strip().rstrip("/"):
        parts = _split(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
            raise ImproperlyConfigured(
                f"SITE_URL={url} is not valid. Use an address such as https://events.example.org."
            )
        return url
    host, port = listen_address(env)
    if host in ("0.0.0.0", "::"):  # noqa: S104 (compared, not bound)
        host = lan_address()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _split(address: str) -> SplitResult:
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        parts.port  # noqa: B018  (read here, where it may be none)
        return parts
    return urlsplit("")


def allowed_hosts(url: str, env: Mapping[str, str]) -> list[str]:
    """Return the site's host, this machine's own names, and ALLOWED_HOSTS (comma-separated)."""
    name = urlsplit(url).hostname or ""
    names = [f"[{name}]" if ":" in name else name, *LOOPBACK, *comma_separated(env, "ALLOWED_HOSTS")]
    return list(dict.fromkeys(names))


def comma_separated(env: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in env.get(name, "").split(",") if part.strip()]


class Networks(list[IPv4Network | IPv6Network]):
    def __contains__(self, address: object) -> bool:
        try:
            found = ipaddress.ip_address(str(address))
        except ValueError:  # proxies may write "unknown"
            return False
        return any(found in network for network in self)


def trusted_proxies(env: Mapping[str, str]) -> Networks:
    """Return TRUSTED_PROXIES: the addresses and networks of our own proxies (comma-separated)."""
    networks = Networks()
    for name in comma_separated(env, "TRUSTED_PROXIES"):
        try:
            networks.append(ipaddress.ip_network(name))
        except ValueError:
            raise ImproperlyConfigured(
                f"TRUSTED_PROXIES names {name}, which is not an address or a network. "
                "Use addresses such as 10.0.0.10 and networks such as 172.16.0.0/12."
            ) from None
    return networks


def data_folder(env: Mapping[str, str], platform: str = sys.platform) -> Path:
    home = Path.home()
    if platform == "win32":
        home = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        home = home / "Library" / "Application Support"
    else:
        home = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")
    return home / "swiss-tournament"


def secret_key(env: Mapping[str, str], var: Path) -> str:
    """Return SECRET_KEY, else the key in `var/secret-key`. Simultaneous starts create that file only once."""
    if env.get("SECRET_KEY"):
        return env["SECRET_KEY"]
    path = var / "secret-key"
    try:
        if not path.exists():
            _write_key(path)
        key = path.read_bytes().decode("ascii", "replace").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"Could not save a secret key in {path}: {error.strerror}. Set VAR_DIR to a folder of this account."
        ) from error
    if len(key) < SHORTEST_SECRET or not key.isascii():
        raise ImproperlyConfigured(
            f"{path} holds no key. Put back the one there was, or remove the file: with the new key everyone "
            "signs in again, and player links cannot be printed again."
        )
    return key


def _write_key(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".secret-key-{os.getpid()}-{secrets.token_hex(4)}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
        file.flush()
        os.fsync(file.fileno())
    try:
        with contextlib.suppress(FileExistsError):  # the other process was first; its key is the key
            os.link(aside, path)
    finally:
        aside.unlink()


def mail(env: Mapping[str, str]) -> dict[str, Any]:
    """Return Django's settings for EMAIL_URL and EMAIL_FROM (the sender), empty without them.

    smtp://user:password@host:587 (STARTTLS; `?starttls=no` for a relay on this machine) or smtps:// (TLS at once).
    django-environ and dj-email-url are not used: for them smtp:// is unencrypted, smtps:// is STARTTLS, and unknown
    options are ignored.
    """
    url = env.get("EMAIL_URL", "").strip()
    if not url:
        return {}
    parts = _split(url)
    options = dict(parse_qsl(parts.query))
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or set(options) - {"starttls"}:
        raise ImproperlyConfigured(
            "EMAIL_URL is not valid. Use an address such as smtp://user:password@mail.example.org:587."
        )
    sender = env.get("EMAIL_FROM", "").strip() or unquote(parts.username or "")
    if "@" not in sender:
        raise ImproperlyConfigured("EMAIL_FROM is missing. Set it to the address that sends email.")
    at_once = parts.scheme == "smtps"
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if at_once else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": at_once,
        "EMAIL_USE_TLS": not at_once and options.get("starttls") != "no",
        "DEFAULT_FROM_EMAIL": sender,
        "EMAIL_TIMEOUT": 20,
    }


def choose_word(env: Mapping[str, str], name: str, *words: str) -> str:
    """Return the variable's value, which must be one of these words; by default the first."""
    value = env.get(name, "").strip() or words[0]
    for word in words:
        if value.lower() == word.lower():
            return word
    raise ImproperlyConfigured(f"{name}={value} is not valid. Use {', '.join(words[:-1])} or {words[-1]}.")


def logging_config(env: Mapping[str, str]) -> dict[str, Any]:
    """Return Django's LOGGING: text or JSON (LOG_FORMAT) on stderr. LOG_LEVEL: by default WARNING, on servers INFO."""
    form = choose_word(env, "LOG_FORMAT", "text", "json")
    formatter = "JsonFormatter" if form == "json" else "LineFormatter"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"tournament.monitoring.log_lines.{formatter}"}},
        "filters": {"refusals": {"()": "tournament.monitoring.log_lines.RefusalFilter"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["refusals"]}
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "tournament": {"level": choose_word(env, "LOG_LEVEL", "WARNING", "INFO", "ERROR")},
            # Log every 500 with its traceback, but no 404.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.request": {"level": "ERROR", "filters": ["refusals"]},
            # Scanners try other host names; they get a 400 without a traceback.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            # Log an unreachable server once, not for each attempt.
            "psycopg.pool": {"level": "ERROR"},
        },
    }


def secret(env: Mapping[str, str], name: str) -> str:
    """Return a secret, which must be long enough; "" if it is not set."""
    value = env.get(name, "").strip()
    if value and len(value) < SHORTEST_SECRET:
        raise ImproperlyConfigured(f"{name} is too short. Use at least {SHORTEST_SECRET} random characters.")
    return value


def sqlite(name: Path | str, test_name: Path | str) -> dict[str, Any]:
    """Return Django's settings for SQLite. Writers wait up to 20 s instead of failing with "database is locked"."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(name),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # Every transaction takes the write lock at its start, so none has to upgrade and fail half-way.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # FULL: a result that was answered "saved" survives a power cut. Recursive triggers: a REPLACE
            # deletes the old row first, and the guards must see that.
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
                "PRAGMA recursive_triggers=ON; PRAGMA secure_delete=ON;"
            ),
        },
        "TEST": {"NAME": str(test_name)},
    }


def postgres(url: str) -> dict[str, Any]:
    """Return Django's settings for a `postgres://` URL, whose own options override SILENCE, the timeouts of libpq."""
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured(
            "DATABASE_URL does not name a database. Use postgres://user:password@host:5432/name."
        )
    options: dict[str, Any] = {"options": "-c lock_timeout=20000", **SILENCE, **dict(parse_qsl(parts.query))}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,  # the pool keeps connections, not the threads
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }


def pool_connections(databases: Mapping[str, dict[str, Any]]) -> None:
    """Let a server's threads share PostgreSQL connections. Not for commands: a pool hides the server's error."""
    for settings in databases.values():
        if settings["ENGINE"] == "django.db.backends.postgresql":
            # Reconnect soon: by default a pool waits longer each time, up to 5 minutes.
            times = {"timeout": 10, "reconnect_timeout": 5}  # s
            settings["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 10, **times}


def database(env: Mapping[str, str], var: Path) -> dict[str, Any]:
    """Return the database of DATABASE_URL, else SQLite in `var/`. Tests use a file too, for WAL and queued writers."""
    url = env.get("DATABASE_URL", "").strip()
    scheme = _split(url).scheme
    if url and not scheme:
        raise ImproperlyConfigured("DATABASE_URL is not valid. Use postgres://user:password@host:5432/name.")
    if scheme in ("postgres", "postgresql"):
        return postgres(url)
    if scheme not in ("", "sqlite"):
        raise ImproperlyConfigured(f"DATABASE_URL starts with {scheme}://. Use postgres:// or sqlite:///.")
    name = Path(unquote(urlsplit(url).path)[1:]) if url else var / "swiss.sqlite3"
    with contextlib.suppress(OSError):
        # Commands that need no database work on a read-only disk, too; the others report the error.
        name.parent.mkdir(parents=True, exist_ok=True)
        name.touch(mode=0o600)  # names, contacts and secret seeds: for its owner only
    tests_folder = RAM_DISK if os.access(RAM_DISK, os.W_OK) else var
    return sqlite(name, tests_folder / f"swiss-test-{os.getpid()}.sqlite3")


def throttle_cache(env: Mapping[str, str], var: Path, *, testing: bool) -> dict[str, Any]:
    """Return the cache for tournament/access/throttle.py: Redis if REDIS_URL is set, else files in `var/`."""
    url = env.get("REDIS_URL", "").strip()
    if not url:
        name = "locmem.LocMemCache" if testing else "filebased.FileBasedCache"
        return {
            "BACKEND": f"django.core.cache.backends.{name}",
            "LOCATION": "" if testing else str(var / "throttle"),
            "OPTIONS": {"MAX_ENTRIES": 2000},
            "TIMEOUT": 60 * 60,  # s, the longest limit: Django's file cache resets a key's own at each count
        }
    if _split(url).scheme not in ("redis", "rediss", "unix"):
        raise ImproperlyConfigured("REDIS_URL is not valid. Use redis://host:6379/0.")
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "KEY_PREFIX": "swiss",
        # s: a request that is limited must not wait long
        "OPTIONS": {"serializer": JsonSerializer(), "socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    }


class JsonSerializer:
    """Store values in Redis as JSON. Django would unpickle them, and so execute whatever someone else put there."""

    dumps, loads = staticmethod(json.dumps), staticmethod(json.loads)


def time_zone(env: Mapping[str, str]) -> str:
    """Return TIME_ZONE, else the machine's own zone, else UTC."""
    if name := env.get("TIME_ZONE", "").strip():
        try:
            return ZoneInfo(name).key
        except (KeyError, OSError, ValueError):
            words = f"TIME_ZONE={name} is not known. Use a name such as Europe/Berlin."
            raise ImproperlyConfigured(words) from None
    try:
        return os.readlink("/etc/localtime").split("zoneinfo/", 1)[1]
    except (OSError, IndexError):
        return "UTC"


def hold_port(host: str, port: int) -> None:
    """Take the port for this process and its successor. Raises ImproperlyConfigured if the port is in use."""
    holder = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    # Reuse a port whose last connections are still closing; on Windows the option would do more.
    if os.name == "posix":
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        holder.bind((host, port))
    except OSError as error:
        holder.close()
        other = port + 1 if port < 65535 else DEFAULT_PORT
        raise ImproperlyConfigured(
            f"Port {port} on {host} cannot be used ({error.strerror}): "
            f"stop the program that has it, or choose another, such as PORT={other}."
        ) from None
    if sys.platform != "linux":
        holder.close()
        return
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    os.set_inheritable(holder.detach(), True)
