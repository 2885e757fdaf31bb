"""Collect the server's log lines in both formats while a test runs."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.module_loading import import_string

from tournament.config.env import logging_config


@contextmanager
def logged() -> Iterator[dict[str, io.StringIO]]:
    """{"text": …, "json": …}: what `serve` writes on stderr, by LOG_FORMAT."""
    streams, handlers = {}, []
    for form in ("text", "json"):
        config = logging_config({"LOG_FORMAT": form, "LOG_LEVEL": "INFO"})
        handler = logging.StreamHandler(streams.setdefault(form, io.StringIO()))
        handler.setFormatter(import_string(config["formatters"]["line"]["()"])())
        for name in config["handlers"]["stderr"]["filters"]:
            handler.addFilter(import_string(config["filters"][name]["()"])())
        handlers.append(handler)
    loggers = {logging.getLogger(name): each["level"] for name, each in config["loggers"].items()}
    before = {logger: logger.level for logger in loggers}
    for logger, level in loggers.items():
        logger.setLevel(level)
    for handler in handlers:
        handler.setLevel(logging.NOTSET)
        logging.getLogger().addHandler(handler)
    try:
        yield streams
    finally:
        for handler in handlers:
            logging.getLogger().removeHandler(handler)
        for logger, level in before.items():
            logger.setLevel(level)
