"""The installation's name and logo from the environment. Invalid ones raise ImproperlyConfigured."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from django.core.exceptions import ImproperlyConfigured

LONGEST_NAME = 60  # characters
LARGEST_LOGO = 512 * 1024  # bytes: every page shows it
KINDS = {f".{kind}": f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp")}
KINDS |= {".jpg": "image/jpeg", ".svg": "image/svg+xml"}


class Logo(NamedTuple):
    """A logo: its URL and file name ("" for none), absolute path, media type and content."""

    address: str = ""
    name: str = ""
    path: str = ""
    kind: str = ""
    content: bytes = b""


def site_name(env: Mapping[str, str]) -> str:
    name = " ".join(env.get("SITE_NAME", "").split())
    if len(name) > LONGEST_NAME:
        raise ImproperlyConfigured(f"SITE_NAME is too long. Use a name of at most {LONGEST_NAME} characters.")
    return name


def site_logo(env: Mapping[str, str]) -> Logo:
    """Read the image at SITE_LOGO. Its URL contains a digest, so that browsers may cache it."""
    if not env.get("SITE_LOGO", "").strip():
        return Logo()
    path = Path(env["SITE_LOGO"].strip()).expanduser()
    if path.suffix.lower() not in KINDS:
        raise ImproperlyConfigured(f"SITE_LOGO={path} is not an image. Use one of {' '.join(KINDS)}.")
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
    name = f"{hashlib.sha256(content).hexdigest()[:16]}{path.suffix.lower()}"
    return Logo(f"/logo/{name}", name, str(path.resolve()), KINDS[path.suffix.lower()], content)
