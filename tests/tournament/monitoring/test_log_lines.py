import json
import logging

import pytest
from django.db import IntegrityError

from tests.log_lines import logged
from tests.tournament.views.desk import post_line, running
from tournament.config import env
from tournament.monitoring.log_lines import mask

logger = logging.getLogger("tournament.log")


def test_keys_stay_out_of_the_log():
    assert mask("/t/friday/me/Zk3vX9qLr0aB7tYw2nQmHs/") == "/t/friday/me/…/"
    assert mask("/t/friday/key/0123456789abcdef0123456789abcdef/ 404") == "/t/friday/key/…/ 404"
    assert mask("/invite/abc/ /password/MQ/tok-en/") == "/invite/… /password/…"
    unmasked = "/t/friday-night-magic-spring-2026/rounds/4/"
    assert mask(unmasked) == unmasked


def test_a_traceback_says_where_and_what_kind_and_quotes_no_one():
    name = " ".join(("Kim", "Lee"))  # not in the lines of the traceback

    def look_up():
        return {}[name]

    with logged() as streams:
        try:
            try:
                look_up()
            except KeyError as error:
                raise IntegrityError(f"new row breaks rule_x\nDETAIL: Failing row (1, {name})") from error
        except IntegrityError:
            logger.exception("that failed")
        try:
            None.name  # noqa: B018
        except AttributeError:
            logger.exception("and that")
    text, lines = streams["text"].getvalue(), streams["json"].getvalue().splitlines()
    first, second = map(json.loads, lines)
    for trace in (text, first["traceback"]):
        assert "in look_up" in trace and "KeyError\n" in trace
        assert "IntegrityError: new row breaks rule_x" in trace
    assert "'NoneType' object has no attribute 'name'" in second["traceback"]
    assert name not in text + "".join(lines)


def test_a_message_stays_on_its_line():
    with logged() as streams:
        logger.info("one\n2026-01-01 INFO forged: %s", "two\rthree")
    assert len(streams["text"].getvalue().splitlines()) == 1
    assert json.loads(streams["json"].getvalue())["message"] == "one 2026-01-01 INFO forged: two three"


@pytest.mark.django_db
def test_a_saved_result_is_a_line_with_request_and_action(client):
    tournament = running(client)
    with logged() as streams:
        answer = post_line(client, tournament, "1 20")
    tournament.refresh_from_db()
    saved, request = map(json.loads, streams["json"].getvalue().splitlines())
    assert saved["event"] == tournament.slug and saved["action"] == tournament.revision
    assert saved["kind"] == "result" and saved["by"] == f"account {tournament.owner.pk}"
    assert (request["method"], request["page"], request["status"]) == ("POST", "box", answer.status_code)
    assert saved["request"] == request["request"] == answer.headers["X-Request-ID"]
    for line in streams["text"].getvalue().splitlines():
        assert line.endswith(f"[request {saved['request']}]")


@pytest.mark.parametrize(
    ("proxies", "sent", "is_taken"),
    [("", "edge-0001", False), ("127.0.0.0/8", "edge-0001", True), ("127.0.0.1", "edge 0001", False)],
)
def test_only_a_proxy_of_ours_says_what_a_request_is_called(client, settings, proxies, sent, is_taken):
    settings.TRUSTED_PROXIES = env.trusted_proxies({"TRUSTED_PROXIES": proxies})
    answer = client.get("/healthz", headers={"x-request-id": sent})
    assert (answer.headers["X-Request-ID"] == sent) is is_taken
