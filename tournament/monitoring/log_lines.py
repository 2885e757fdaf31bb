"""Log lines: for people or, with LOG_FORMAT=json, as one JSON object each. Neither has keys, names or contacts.

A player's link is as good as a password. An exception's message may quote input or a database row, so its type and
place are always logged, but its message only if it is about the program.
"""

import json
import logging
import re
import secrets
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, InterfaceError, OperationalError, ProgrammingError
from django.http import HttpRequest
from django.template import TemplateDoesNotExist, TemplateSyntaxError

REQUEST_ID = "X-Request-ID"
_FROM_PROXY = re.compile(r"[A-Za-z0-9._-]{8,64}")
current_id: ContextVar[str] = ContextVar("request_id", default="")  # of the request that is being answered

# A path segment that looks random: long, with a capital letter or all hexadecimal. Slugs have neither.
KEY = re.compile(r"/(?=[a-z0-9_-]*[A-Z]|[0-9a-f]{20,}(?![\w-]))[A-Za-z0-9_-]{20,}(?![\w-])")
NAMED = re.compile(r"/(invite|password)/[^\s?]+")  # always keys, however they look
# Parts of a line besides its message, set by `extra`: an account by its number, a player by code.
DETAILS = ("event", "action", "kind", "by", "method", "page", "status", "ms")
OF_THE_DATABASE = (IntegrityError, OperationalError, InterfaceError, ProgrammingError)
OF_PYTHON = (AttributeError, NameError, TypeError, ImportError, OSError)
OF_THE_PROGRAM = (*OF_PYTHON, ImproperlyConfigured, TemplateSyntaxError, TemplateDoesNotExist)


def id_for(request: HttpRequest) -> str:
    """Return the id that one of our own proxies set, else a new one, so that others cannot forge log lines."""
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    if given and request.META.get("REMOTE_ADDR") in settings.TRUSTED_PROXIES and _FROM_PROXY.fullmatch(given):
        return str(given)
    return secrets.token_hex(6)


def mask(text: str) -> str:
    """Replace every path segment that could be a key by `/…`."""
    return KEY.sub("/…", NAMED.sub(r"/\1/…", text))


def error_words(error: BaseException) -> str:
    """Return an error's type, and its message if it quotes no one. Of a database error, only the broken rule."""
    kind = type(error).__name__
    if isinstance(error, OF_THE_DATABASE):
        words, _newline, _row = str(error).partition("\n")  # PostgreSQL adds the row
        return f"{kind}: {words}" if words else kind
    return f"{kind}: {error}" if isinstance(error, OF_THE_PROGRAM) else kind


def account_words(actor: Any) -> str:
    """Return an actor for the log: a signed-in user by number, never by name."""
    pk = getattr(actor, "pk", None)
    return f"account {pk}" if pk else "-"


def _traceback_lines(error: BaseException) -> Iterator[str]:
    """Yield a traceback as Python prints it, the cause first, but with `error_words` as messages."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _traceback_lines(cause)
        yield "This led to:\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{error_words(error)}\n"


def _format_parts(record: logging.LogRecord) -> tuple[str, str]:
    error = record.exc_info[1] if record.exc_info else None
    trace = mask("".join(_traceback_lines(error)).rstrip()) if error else ""
    return mask(" ".join(record.getMessage().split())), trace


class RefusalFilter(logging.Filter):
    """Shorten suspicious requests, which Django refuses, to one-line warnings, and drop refusals of a busy server."""

    def filter(self, record: logging.LogRecord) -> bool:
        request: Any = getattr(record, "request", None)
        if getattr(request, "is_refused", False):
            return False
        if record.name.startswith("django.security.") and record.exc_info:
            kind = record.name.rpartition(".")[2]  # what it says may quote the sender
            record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
            record.msg = "%s: %s %.200s"
            record.args = (kind, request and request.method, request and request.path)
        return True


class LineFormatter(logging.Formatter):
    """One line for people, with the id of its request, and the traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        message, trace = _format_parts(record)
        request = f" [request {current_id.get()}]" if current_id.get() else ""
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {message}{request}"
        return f"{line}\n{trace}" if trace else line


class JsonFormatter(logging.Formatter):
    """One JSON object per line: time, level, logger, message, request, the record's details, a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        message, trace = _format_parts(record)
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": message,
            "request": current_id.get(),
            **{name: getattr(record, name, None) for name in DETAILS},
            "traceback": trace,
        }
        full = {name: value for name, value in line.items() if value not in (None, "")}
        return json.dumps(full, ensure_ascii=False, default=str)
