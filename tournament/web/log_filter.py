"""Secret keys stay out of the log: a player's link is as good as a password."""

import logging
import re

# A path segment that looks random: long, with a capital letter or all hexadecimal. Slugs have neither.
KEY = re.compile(r"/(?=[a-z0-9_-]*[A-Z]|[0-9a-f]{20,}(?![\w-]))[A-Za-z0-9_-]{20,}(?![\w-])")
NAMED = re.compile(r"/(invite|password)/[^\s?]+")  # always keys, however they look


def mask(text: str) -> str:
    """Replace every path segment that could be a key by `/…`."""
    return KEY.sub("/…", NAMED.sub(r"/\1/…", text))


class MaskKeys(logging.Filter):
    """Masks keys in the message and its arguments; never drops a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = mask(record.getMessage())
        record.args = ()
        return True
