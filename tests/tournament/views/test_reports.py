import re

import pytest
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page
from tests.tournament.services.test_results import assert_sound, codes, reports, result, running
from tests.tournament.views.desk import key, match_of
from tests.tournament.views.phones import known, text
from tournament.access import throttle
from tournament.access.codes import personal_code
from tournament.actionlog.change import open_action
from tournament.actionlog.match_facts import match_key
from tournament.errors import Refused
from tournament.history.describe import describe_actions
from tournament.results.shorthand import parse_slip, slip_check
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.judging import answer_call, call_judge, give_penalty, settle_call
from tournament.services.reports import report_result
from tournament.services.results import record_result
from tournament.services.self_service import change_player_link


class Phone:
    def __init__(self, tournament, code):
        self.client, self.code = Client(), code
        self.own = known(self.client, tournament, code)
        self.address = f"{self.own}report/"

    def page(self):
        return page(self.client, self.address)

    def own_page(self):
        return page(self.client, self.own)

    def polls(self):
        """A function that asks, as both parts of its pages do, for what changed since now."""
        parts = [f"{self.address}?v=", f"{self.address}?bar=1&v="]
        marks = [Page(self.client.get(part)).one("[data-v]")["data-v"] for part in parts]
        asked = [part + mark for part, mark in zip(parts, marks, strict=True)]
        return lambda: [Page(self.client.get(address)) for address in asked]

    def send(self, what, slip="", number=1, **fields):
        fields = {"key": key(), "what": what, "round": number, "slip": slip, **fields}
        return self.client.post(self.address, fields)


@pytest.fixture
def tournament():
    return running("on")


@pytest.fixture
def phones(tournament):
    return [Phone(tournament, code) for code in codes(tournament)]


def test_two_taps_report_and_one_confirms(tournament, phones):
    ann, bo = phones
    shown, own = ann.page(), ann.own_page()
    for words in (
        "I won 2–0",
        "I lost 1–2",
        "We drew 1–1",
        "No result: no game won",
        "We agreed to an intentional draw (ID)",
    ):
        assert words in shown and words in own
    assert own.form("I won 2–0").action == ann.address
    ann.send("report", "20")
    assert "Change my report" in ann.page()
    ann.send("withdraw")
    assert reports(tournament) == {} and "waiting for" not in ann.page()
    assert ann.send("report", "21").status_code == 303
    assert "waiting for" in ann.page() and "you won 2–1" in ann.page()
    assert "Not final yet" in ann.own_page()
    assert "reported: you lost 1–2" in bo.own_page()
    shown = bo.page()
    assert "Confirm: I lost 1–2" in shown and shown.all('[name=slip][value="12"]')
    assert bo.send("confirm", "12").status_code == 303
    assert result(tournament) == ("played", "a")
    assert "Entered, round 1: won 2–1" in ann.page() and "Entered, round 1: lost 1–2" in bo.page()
    assert "I won" not in bo.own_page()


def test_a_sentence_about_a_name_with_a_full_stop_has_one(tournament, phones):
    ann, bo = phones
    rename_entry(tournament, bo.code, "Bo S.")
    public = page(Client(), f"/t/{tournament.slug}/players/{ann.code}/")
    assert "against Bo S. · " in public and public.soup.select('[data-announce$="against Bo S."]')
    ann.send("report", "21")
    bo.send("confirm", "12")
    assert "won 2–1 against Bo S." in ann.page() and "S.." not in ann.page()
    refused = Page(ann.send("report", "20"))
    assert "entered already: won 2–1 against Bo S. If it is wrong" in refused and "S.." not in refused


def test_refusals_call_players_by_public_names_and_those_for_staff_by_full_ones(tournament, phones):
    change_settings(tournament, name_privacy="initial")
    ann, bo = phones
    rename_entry(tournament, ann.code, "Ann Secretly")
    rename_entry(tournament, bo.code, "Bo Hidden")
    ann.send("report", "20")
    give_penalty(tournament, ann.code, "game_loss", "Tardiness")
    said = "Ann S. has a penalty in this match: Bo H. has at least 1 game win. Report it, or call a judge."
    sign = {"code": code_of(tournament, bo.code)}
    for answer in (ann.send("report", "20"), bo.send("confirm", "02"), ann.send("sign", "20", **sign)):
        assert said in Page(answer) and "undo" not in text(answer).lower()
        assert ("Secretly" if answer.request["PATH_INFO"] == bo.address else "Hidden") not in text(answer)
    with pytest.raises(Refused, match=r"Ann Secretly has .* Bo Hidden has .* or undo the penalty"):
        record_result(tournament, 1, 1, parse_slip("20"))
    assert reports(tournament) == {"a": "20"} and result(tournament) is None
    record_result(tournament, 1, 1, parse_slip("02"))
    answer = ann.send("report", "20")
    assert answer.status_code == 409 and "Bo H." in Page(answer) and "Hidden" not in text(answer)


def test_phones_that_disagree_both_call_a_judge_and_staff_override_both(tournament, phones):
    for phone in phones:
        phone.send("report", "20")
    differ = "The reports differ. Call a judge."
    for phone in phones:
        assert differ in phone.page() and "Call a judge to table 1" in phone.page()
        assert differ in phone.own_page()
    ann, bo = phones
    polled = ann.polls()
    assert [part.status for part in polled()] == [204, 204]
    answer = bo.client.post(f"{bo.own}call/", {"key": key()}, follow=True)
    assert "The reports differ. A judge was called." in Page(answer)
    assert all("The reports differ. A judge was called." in part for part in polled())
    for phone in phones:
        assert "all a judge" not in phone.page().words + phone.own_page().words, "one call is enough"
    call = tournament.flags.get().number
    answer_call(tournament, call, actor="lena")
    assert all("A judge is on the way." in part for part in polled())
    settle_call(tournament, call, actor="lena")
    assert all("The reports differ. Staff enter the result." in part for part in polled())
    bo.send("report", "21")
    assert all(differ in part for part in polled()), "they differ anew"
    record_result(tournament, 1, 1, parse_slip("12"), actor="ana")
    assert "Entered, round 1: lost 1–2" in ann.page()
    assert "You reported: you won 2–0. The event desk’s entry counts." in ann.page()
    assert "Entered, round 1: won 2–1" in bo.page()


def test_the_state_is_polled_lightly_and_answers_only_what_changed(
    tournament, phones, django_assert_max_num_queries
):
    ann, bo = phones
    polled = ann.polls()
    with django_assert_max_num_queries(10):
        assert [part.status for part in polled()] == [204, 204]
    bo.send("report", "20")
    assert all("reported: you lost 0–2" in part for part in polled())
    with django_assert_max_num_queries(20):
        shown = ann.page()
    assert all("Confirm: I lost 0–2" in part for part in (*polled(), shown))


def code_of(tournament, player) -> str:
    return personal_code(tournament.entries.get(code=player))


def log_line(tournament):
    [line] = describe_actions(tournament, tournament.actions.order_by("-number")[:1])
    return line.actor, line.sentence


def test_the_opponent_confirms_on_one_phone_with_the_personal_code(tournament, phones):
    ann, bo = phones
    ann.send("report", "20")
    a, b = (tournament.entries.get(code=phone.code).name for phone in phones)
    assert log_line(tournament)[0] == f"player {a}, by own link"
    assert f"{b}'s personal code" in ann.page() and ann.page().soup.select("[type=password]")
    slip = slip_check(tournament.slug, 1, 1, (ann.code, bo.code))
    for wrong in (slip, code_of(tournament, ann.code)):  # what both hold, and the own one
        answer = ann.send("sign", "20", code=wrong)
        assert answer.status_code == 422 and "is not the personal code of" in Page(answer)
    assert result(tournament) is None
    right = code_of(tournament, bo.code)
    assert ann.send("sign", "20", code=f" {right.lower()}").status_code == 303
    assert result(tournament) == ("played", "a")
    action = tournament.actions.order_by("-number")[0]
    assert (action.actor, action.reason) == (f"player:{bo.code}", "")
    assert log_line(tournament)[0] == f"player {b}, by personal code"


def test_a_phone_that_was_opened_by_the_personal_code_settles_and_the_log_says_so(tournament, phones):
    ann, bo = phones
    ann.send("report", "21")
    phone = Client()
    claimed = f"/t/{tournament.slug}/me/{bo.code}/"
    phone.post(f"{claimed}this-is-me/", {"key": key(), "code": code_of(tournament, bo.code)})
    sent = {"key": key(), "what": "confirm", "round": 1, "slip": "12"}
    for _press in range(2):  # the second is answered as the first
        assert phone.post(f"{claimed}report/", sent).status_code == 303
    assert result(tournament) == ("played", "a")
    name = tournament.entries.get(code=bo.code).name
    assert log_line(tournament)[0] == f"player {name}, by personal code"
    assert_sound(tournament)


def test_codes_are_not_guessed(tournament, phones, monkeypatch):
    monkeypatch.setattr("tournament.access.codes.WRONG_CODES", throttle.Limit("test", most=3, seconds=600))
    ann, bo = phones
    ann.send("report", "20")
    assert [ann.send("sign", "20", code="ZZZ-ZZZ").status_code for _ in range(4)] == [422, 422, 422, 429]
    answer = ann.send("sign", "20", code=code_of(tournament, bo.code))
    assert answer.status_code == 429 and "Too many wrong codes" in Page(answer)
    assert result(tournament) is None


def test_a_personal_code_belongs_to_one_player_of_one_event(settings):
    one, other = TournamentFactory(entries=2), TournamentFactory(entries=1)
    entries = [*one.entries.order_by("code"), other.entries.get()]
    found = {personal_code(entry) for entry in entries}
    assert len(found) == 3 and all(
        re.fullmatch("[2-9A-HJ-NP-Z]{3}-[2-9A-HJ-NP-Z]{3}", code) for code in found
    )
    settings.SECRET_KEY = "another"
    assert personal_code(entries[0]) not in found


def refused(answer, words, status):
    (error,) = Page(answer).all("p.notice.bad")
    assert answer.status_code == status and words in error


def test_what_cannot_be_reported_is_refused_in_one_line(tournament, phones):
    ann, bo = phones
    refused(ann.send("report", "30"), "impossible", 422)
    refused(ann.send("report", "nonsense"), "is not a result", 422)
    refused(ann.send("report", "ns2"), "Players cannot report that by phone", 400)
    refused(ann.send("report", "20x"), "To drop, use your page", 400)
    refused(ann.send("report", "20", number=7), "no match in round 7", 409)
    refused(ann.send("report"), "Enter the games each player won", 422)
    assert ann.send("destroy", "20").status_code == 422
    assert ann.send("report", "20", number="x").status_code == 422
    assert bo.client.post(ann.address, {"what": "report", "round": 1, "slip": "20"}).status_code == 404
    change_player_link(tournament, ann.code, key_hash="")
    assert ann.send("report", "20").status_code == 404  # a revoked link
    assert tournament.actions.filter(kind__contains="report").count() == 0
    record_result(tournament, 1, 1, parse_slip("20"))
    refused(bo.send("report", "20"), "entered already: lost 0–2", 409)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament, drafted=True)
    refused(bo.send("report", "20", number=2), "no match in round 2", 409)
    change_settings(tournament, reporting="off")
    refused(bo.send("report", "20"), "do not report results by phone", 409)
    assert not bo.own_page().all("#report")


def test_another_score_or_points_are_typed_in_numbers(tournament, phones):
    ann, bo = phones
    ann.send("report", a="1", b="0", drawn="1")
    assert reports(tournament) == {"a": "101"}
    refused(bo.send("report", a="5", b="0"), "impossible", 422)
    assert "Enter a whole number from 0 to 9." in Page(bo.send("report", a="100", b="0"))
    bo.send("report", a="0", b="1", drawn="1")
    assert result(tournament) == ("played", "a")
    tournament = running("on", ruleset="scrabble")
    ann, bo = (Phone(tournament, code) for code in codes(tournament))
    shown = ann.page()
    assert "Your points" in shown and "I won 2–0" not in shown
    assert ann.send("report", score_a="412", score_b="388").status_code == 303
    assert "you won 412–388" in ann.page()
    assert bo.send("confirm", "388 412").status_code == 303
    assert result(tournament) == ("played", "a")


def test_without_a_match_the_page_says_so_and_a_bye_has_no_button():
    tournament = TournamentFactory(entries=3)
    change_settings(tournament, reporting="on")
    assert "no match to report now" in Phone(tournament, "P0001").page()
    RoundFactory(tournament=tournament)
    bye = Phone(tournament, tournament.entries.get(seats__kind="bye").code)
    assert "I won" not in bye.own_page()
    refused(bye.send("report", "20"), "no opponent in round 1", 409)


@pytest.fixture
def desk():
    """An event whose staff accept reports: table 1 agrees, table 2 differs, at table 3 one player reported."""
    tournament = running("staff")
    staff = Client()
    staff.force_login(tournament.owner)
    assert rounds_page(tournament, staff).all("#reports")  # the sheet is kept from here on
    for table, slips in ((1, ("21", "12")), (2, ("20", "20")), (3, ("", "02"))):
        for code, slip in zip(codes(tournament, table), slips, strict=True):
            if slip:
                report_result(tournament, code, 1, parse_slip(slip))
    tournament.refresh_from_db()
    return tournament, staff


def rounds_page(tournament, staff):
    return page(staff, f"/t/{tournament.slug}/desk/rounds/1/")


def accept(tournament, staff, **fields):
    address = f"/t/{tournament.slug}/desk/rounds/1/reports/"
    return staff.post(address, {"key": key(), **fields}, follow=True)


def test_the_desk_shows_disputed_tables_first_and_accepts_what_agrees(desk):
    tournament, staff = desk
    judge = f"/t/{tournament.slug}/desk/judge/"
    shown = rounds_page(tournament, staff)
    assert "reports differ" in page(staff, judge)
    order = [shown.words.index(w) for w in ("the reports differ", "Both players of 1", "1 report waits")]
    assert order == sorted(order)
    assert {link["href"] for link in shown.soup.select("#reports a")} == {"#match-1", "#match-2", "#match-3"}
    assert "press A to accept all of them" in shown and shown.soup.select("[data-key=a]")
    assert "both reported" in shown and "1 of 2 reported" in shown
    called = call_judge(tournament, codes(tournament, 2)[0]).number
    rows = page(staff, f"/t/{tournament.slug}/desk/rounds/1/rows/", since=called)
    assert "A judge was called: enter the result afterwards." in rows
    settle_call(tournament, tournament.flags.get().number)
    tables = page(staff, judge)
    assert tables.soup.select('[aria-label="Table 2, reports differ"]')
    assert not tables.all(".call"), "no judge has to go there again"
    assert "and a judge has been there. Enter the result." in rounds_page(tournament, staff)
    shown = Page(accept(tournament, staff))
    assert "2–1" in shown and "Both players of" not in shown
    assert [result(tournament, table) for table in (1, 2, 3)] == [("played", "a"), None, None]
    for which in ({}, {"by_slip": "on"}):
        assert "No two reports match anymore." in Page(accept(tournament, staff, **which))


def test_staff_accept_one_report_as_the_page_showed_it(desk):
    tournament, staff = desk
    for fields in ({"table": 2, "text": "20"}, {"table": 3, "text": "21"}, {"table": 4}):
        assert accept(tournament, staff, **fields).status_code == 409
    assert rounds_page(tournament, staff).soup.select('[aria-label="Accept the report of table 3"]')
    assert "2–0" in Page(accept(tournament, staff, table=3, text="20"))
    assert [result(tournament, table) for table in (1, 2, 3)] == [None, None, ("played", "a")]


def test_an_open_desk_learns_of_reports(desk):
    tournament, staff = desk
    since = tournament.revision
    report_result(tournament, codes(tournament, 4)[0], 1, parse_slip("20"))
    address = f"/t/{tournament.slug}/desk/rounds/1/rows/?since={since}"
    news = Page(staff.get(address, HTTP_HX_REQUEST="true"))
    assert "2 reports wait" in news and news.all("#match-4") and not news.all("#match-1")


@pytest.mark.parametrize("what", ["report", "confirm", "withdraw"])
def test_a_form_of_the_pairings_before_a_repair_reports_nothing_of_the_new_match(tournament, phones, what):
    ann, bo = phones
    sent = {"slip": "20", "against": ann.page().soup.select("[name=against]")[0]["value"]}
    assert sent["against"] == bo.code
    first, second = match_of(tournament, 1), match_of(tournament, 2)
    with open_action(tournament, "seats") as log:  # as a repair does: the second players change places
        other = second.seats.get(side="b").entry.code
        log.reseat({match_key(first): {"b": other}, match_key(second): {"b": bo.code}})
    answer = ann.send(what, **sent)
    assert answer.status_code == 409 and "you have another opponent. Nothing was saved." in Page(answer)
    assert reports(tournament) == {}
