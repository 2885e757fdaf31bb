"""The installation's name and logo from the environment. Invalid ones raise ImproperlyConfigured."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

LONGEST_NAME = 60  # characters
LARGEST_LOGO = 512 * 1024  # bytes: every page shows it
# First bytes of the file: its name does not prove its type.
KINDS = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
    ".svg": ("image/svg+xml", b"<"),
}


class Logo(NamedTuple):
    """A logo: its URL ("" for none), and for a local file its absolute path, media type and content.

    `origin`: the other site that serves it, which the content security policy has to allow.
    """

    address: str = ""
    origin: str = ""
    path: str = ""
    kind: str = ""
    content: bytes = b""

    @property
    def name(self) -> str:
        return self.address.rsplit("/", 1)[-1]


def site_name(env: Mapping[str, str]) -> str:
    name = " ".join(env.get("SITE_NAME", "").split())
    if len(name) > LONGEST_NAME:
        raise ImproperlyConfigured(f"SITE_NAME is too long. Use a name of at most {LONGEST_NAME} characters.")
    return name


def site_logo(env: Mapping[str, str], *, https: bool) -> Logo:
    """Return the logo of SITE_LOGO: the path of an image, which the app serves, or a URL. `https`: as pages are."""
    value = env.get("SITE_LOGO", "").strip()
    if not value:
        return Logo()
    return _logo_elsewhere(value, https) if "://" in value else _logo_from_file(Path(value).expanduser())


def _logo_elsewhere(address: str, https: bool) -> Logo:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or set(address) & set(" ;,'\""):
        raise ImproperlyConfigured(
            f"SITE_LOGO={address} is not valid. "
            "Use the path of an image, or an address such as https://example.org/logo.png."
        )
    if https and parts.scheme == "http":
        raise ImproperlyConfigured(
            f"SITE_LOGO={address} is not encrypted, so browsers refuse it here. Use https://."
        )
    return Logo(address, f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")


def _logo_from_file(path: Path) -> Logo:
    """Read the file. Its URL contains a digest, so that browsers may cache it."""
    if path.suffix.lower() not in KINDS:
        raise ImproperlyConfigured(f"SITE_LOGO={path} is not an image. Use one of {' '.join(KINDS)}.")
    kind, start = KINDS[path.suffix.lower()]
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_LOGO + 1)
    except OSError as error:
        raise ImproperlyConfigured(
            f"SITE_LOGO={path} cannot be read ({error.strerror}). Use the path of an image."
        ) from error
    if len(content) > LARGEST_LOGO:
        raise ImproperlyConfigured(
            f"SITE_LOGO={path} is too large. Use an image of at most {LARGEST_LOGO // 1024} kB."
        )
    if not content.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(start):
        raise ImproperlyConfigured(f"SITE_LOGO={path} is not a valid {kind} file. Use another one.")
    name = f"{hashlib.sha256(content).hexdigest()[:16]}{path.suffix.lower()}"
    return Logo(f"/logo/{name}", "", str(path.resolve()), kind, content)
