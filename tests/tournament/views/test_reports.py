"""The result by phone: two taps, the opponent's confirmation, one phone for both, and who tries to cheat."""

import re

import pytest
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.tournament.services.test_reports import codes, reports, result, running
from tests.tournament.views.desk import key, match_of
from tests.tournament.views.phones import known, text
from tournament.access import throttle
from tournament.actionlog.change import open_action
from tournament.actionlog.match_facts import match_key
from tournament.errors import Refused
from tournament.results.shorthand import parse_slip
from tournament.results.slip_code import phone_code, slip_check
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.penalties import give_penalty
from tournament.services.reports import report_result
from tournament.services.results import record_result
from tournament.services.self_service import change_player_link

pytestmark = pytest.mark.django_db


class Phone:
    """A player's phone at that table."""

    def __init__(self, tournament, code):
        self.client, self.code = Client(), code
        self.own = known(self.client, tournament, code)
        self.address = f"{self.own}report/"

    def page(self):
        return text(self.client.get(self.address))

    def send(self, what, slip="", number=1, **fields):
        fields = {"key": key(), "what": what, "round": number, "slip": slip, **fields}
        return self.client.post(self.address, fields)


@pytest.fixture
def tournament():
    return running("on")


@pytest.fixture
def phones(tournament):
    """Of both players at table 1."""
    return [Phone(tournament, code) for code in codes(tournament)]


def test_two_taps_report_and_one_confirms(tournament, phones):
    ann, bo = phones
    own = text(ann.client.get(ann.own))
    assert f'href="{ann.address}"' in own and "Report the result" in own
    page = ann.page()
    for words in (
        "I won 2–0",
        "I lost 1–2",
        "We drew 1–1",
        "No result: no game won",
        "We agreed to an intentional draw (ID)",
    ):
        assert words in page
    assert ann.send("report", "21").status_code == 303
    assert "Waiting for" in ann.page() and "you won 2–1" in ann.page()
    assert "Not final yet" in text(ann.client.get(ann.own))
    assert "reported: you lost 1–2" in text(bo.client.get(bo.own))
    page = bo.page()
    assert "Confirm: I lost 1–2" in page and 'name="slip" value="12"' in page
    assert bo.send("confirm", "12").status_code == 303
    assert result(tournament) == ("played", "a")
    assert "Entered, round 1: won 2–1" in ann.page() and "Entered, round 1: lost 1–2" in bo.page()
    assert "Report the result" not in text(bo.client.get(bo.own))


def test_a_sentence_about_a_name_with_a_full_stop_has_one(tournament, phones):
    ann, bo = phones
    rename_entry(tournament, bo.code, "Bo S.")
    seat = text(Client().get(f"/t/{tournament.slug}/players/{ann.code}/"))
    assert 'against Bo S."' in seat and "against Bo S. · " in seat
    ann.send("report", "21")
    bo.send("confirm", "12")
    page = ann.page()
    assert "won 2–1 against Bo S." in page and "S.." not in page
    refused = text(ann.send("report", "20"))
    assert "entered already: won 2–1 against Bo S. If it is wrong" in refused and "S.." not in refused


def test_a_phone_learns_of_a_penalty_by_public_names_and_staff_by_full_ones(tournament, phones):
    change_settings(tournament, name_privacy="initial")
    ann, bo = phones
    rename_entry(tournament, ann.code, "Ann Secretly")
    rename_entry(tournament, bo.code, "Bo Hidden")
    ann.send("report", "20")
    give_penalty(tournament, ann.code, "game_loss", "Tardiness")
    answers = (
        ann.send("report", "20"),
        bo.send("confirm", "02"),
        ann.send("sign", "20", code=phone_code(tournament.pk, 1, 1, bo.code)),
    )
    for answer in map(text, answers):
        said = (
            "Ann S. has a penalty in this match: Bo H. has at least 1 game win. Report it, or call a judge."
        )
        assert said in answer and "undo" not in answer.lower()
    assert "Hidden" not in text(answers[0]) and "Secretly" not in text(answers[1])
    with pytest.raises(Refused, match=r"Ann Secretly has .* Bo Hidden has .* or undo the penalty"):
        record_result(tournament, 1, 1, parse_slip("20"))
    assert reports(tournament) == {"a": "20"} and result(tournament) is None


def test_phones_that_disagree_both_call_a_judge_and_staff_override_both(tournament, phones):
    for phone in phones:
        phone.send("report", "20")
    for phone in phones:
        assert (
            "The reports differ. Call a judge." in phone.page() and "Call a judge to table 1" in phone.page()
        )
        assert "The reports differ. Call a judge." in text(phone.client.get(phone.own))
    record_result(tournament, 1, 1, parse_slip("12"), actor="ana")
    ann, bo = phones
    assert "Entered, round 1: lost 1–2" in ann.page()
    assert "You reported: you won 2–0. The event desk’s entry counts." in ann.page()
    assert "Entered, round 1: won 2–1" in bo.page()


def test_a_report_can_be_changed_and_taken_back(tournament, phones):
    ann, _bo = phones
    ann.send("report", "20")
    assert "Change my report" in ann.page()
    ann.send("report", "21")
    assert reports(tournament) == {"a": "21"}
    ann.send("withdraw")
    assert reports(tournament) == {} and "Waiting for" not in ann.page()


def test_the_state_is_polled_and_answers_only_what_changed(tournament, phones):
    ann, bo = phones
    for query in ("v=", "bar=1&v="):
        address = f"{ann.address}?{query}"
        mark = re.search(r'data-v="([^"]*)"', text(ann.client.get(address)))[1]
        assert ann.client.get(address + mark).status_code == 204
    bo.send("report", "20")
    assert "reported: you lost 0–2" in text(ann.client.get(address + mark))


def test_only_a_page_from_before_the_report_leads_to_the_buttons_that_answer_it(tournament, phones):
    ann, bo = phones
    mark = re.search(r'data-v="([^"]*)"', ann.page())[1]
    bo.send("report", "20")
    part = text(ann.client.get(f"{ann.address}?v={mark}"))
    page = ann.page()
    assert "Confirm or correct it" in part
    assert "Confirm: I lost 0–2" in page and "Confirm or correct it" not in page


def test_the_opponent_confirms_on_one_phone_with_the_code_of_the_slip(tournament, phones, monkeypatch):
    monkeypatch.setattr("tournament.views.reports.WRONG_CODES", throttle.Limit("test", most=3, seconds=600))
    ann, bo = phones
    ann.send("report", "20")
    public = slip_check(tournament.slug, 1, 1, (ann.code, bo.code))
    own = phone_code(tournament.pk, 1, 1, ann.code)
    for wrong in (public, own):  # what everyone can work out, and the own one
        answer = ann.send("sign", "20", code=wrong)
        assert answer.status_code == 422 and "is not the phone code of" in text(answer)
    right = phone_code(tournament.pk, 1, 1, bo.code)
    assert ann.send("sign", "20", code=f" {right[:2].lower()}-{right[2:]}").status_code == 303
    assert result(tournament) == ("played", "a")
    action = tournament.actions.order_by("-number")[0]
    assert (action.actor, action.reason) == (f"player:{bo.code}", "phone code of the slip")


def test_codes_are_not_guessed(tournament, phones, monkeypatch):
    monkeypatch.setattr("tournament.views.reports.WRONG_CODES", throttle.Limit("test", most=3, seconds=600))
    ann, bo = phones
    ann.send("report", "20")
    assert [ann.send("sign", "20", code="ZZZZ").status_code for _ in range(4)] == [422, 422, 422, 429]
    answer = ann.send("sign", "20", code=phone_code(tournament.pk, 1, 1, bo.code))
    assert answer.status_code == 429 and "Too many wrong codes" in text(answer)
    assert result(tournament) is None


def test_the_code_belongs_to_one_player_of_one_match_of_one_event(settings):
    codes_ = {phone_code(*about) for about in [(1, 1, 1, "P0001"), (2, 1, 1, "P0001"), (1, 2, 1, "P0001"),
                                               (1, 1, 2, "P0001"), (1, 1, 1, "P0002")]}  # fmt: skip
    assert len(codes_) == 5 and all(re.fullmatch("[2-9A-HJ-NP-Z]{4}", code) for code in codes_)
    settings.SECRET_KEY = "another"
    assert phone_code(1, 1, 1, "P0001") not in codes_


def refused(answer, words, status):
    assert answer.status_code == status, answer.status_code
    page = text(answer)
    assert len(re.findall(r'<p class="notice error"', page)) == 1 and words in page, page


def test_what_cannot_be_reported_is_refused_in_one_line(tournament, phones):
    ann, bo = phones
    revision = tournament.revision
    refused(ann.send("report", "30"), "impossible", 422)
    refused(ann.send("report", "nonsense"), "is not a result", 422)
    refused(ann.send("report", "ns2"), "Players cannot report that by phone", 400)
    refused(ann.send("report", "20x"), "Drop on your page", 400)
    refused(ann.send("report", "20", number=7), "no match in round 7", 409)
    refused(ann.send("report"), "Enter the games each player won", 422)
    assert ann.send("destroy", "20").status_code == 422
    assert ann.send("report", "20", number="x").status_code == 422
    assert bo.client.post(ann.address, {"what": "report", "round": 1, "slip": "20"}).status_code == 404
    change_player_link(tournament, ann.code, key_hash="")
    assert ann.send("report", "20").status_code == 404  # a revoked link
    tournament.refresh_from_db()
    assert tournament.actions.filter(kind__contains="report").count() == 0 and revision
    record_result(tournament, 1, 1, parse_slip("20"))
    refused(bo.send("report", "20"), "entered already: lost 0–2", 409)
    change_settings(tournament, reporting="off")
    refused(bo.send("report", "20"), "do not report results by phone", 409)
    assert "report-bar" not in text(bo.client.get(bo.own))


def test_another_score_is_typed_in_numbers(tournament, phones):
    ann, bo = phones
    ann.send("report", a="1", b="0", drawn="1")
    assert reports(tournament) == {"a": "101"}
    refused(bo.send("report", a="5", b="0"), "impossible", 422)
    assert "Enter a whole number from 0 to 9." in text(bo.send("report", a="100", b="0"))
    bo.send("report", a="0", b="1", drawn="1")
    assert result(tournament) == ("played", "a")


def test_points_are_typed_where_the_ruleset_records_them():
    tournament = running("on", ruleset="scrabble")
    ann, bo = (Phone(tournament, code) for code in codes(tournament))
    page = ann.page()
    assert "Your points" in page and "<details" in page and "I won 2–0" not in page
    assert ann.send("report", score_a="412", score_b="388").status_code == 303
    assert "you won 412–388" in ann.page()
    assert bo.send("confirm", "388 412").status_code == 303
    assert result(tournament) == ("played", "a")


def test_a_second_press_is_answered_as_the_first(tournament, phones):
    ann, bo = phones
    sent = {"key": key(), "what": "report", "round": 1, "slip": "20"}
    for _press in range(2):
        assert ann.client.post(ann.address, sent).status_code == 303
    for _press in range(2):
        assert bo.send("confirm", "02").status_code == 303
    assert ann.send("report", "20").status_code == 303  # it is the result already
    assert tournament.actions.filter(kind__contains="report").count() == 2


def test_without_a_match_the_page_says_so_and_a_bye_has_no_button():
    tournament = TournamentFactory(entries=3)
    change_settings(tournament, reporting="on")
    early = Phone(tournament, "P0001")
    assert "no match to report now" in early.page()
    RoundFactory(tournament=tournament)
    bye = Phone(tournament, tournament.entries.get(seats__kind="bye").code)
    assert "Report the result" not in text(bye.client.get(bye.own)).replace("<title>Report the result", "")
    refused(bye.send("report", "20"), "no opponent in round 1", 409)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament, drafted=True)
    refused(bye.send("report", "20", number=2), "no match in round 2", 409)


def test_the_page_and_its_poll_are_light(tournament, phones, django_assert_max_num_queries):
    ann, bo = phones
    bo.send("report", "20")
    address = f"{ann.address}?bar=1&v="
    mark = re.search(r'data-v="([^"]*)"', text(ann.client.get(address)))[1]
    with django_assert_max_num_queries(5):
        assert ann.client.get(address + mark).status_code == 204
    with django_assert_max_num_queries(20):
        ann.page()
    assert match_of(tournament).result is None


def test_slips_show_each_player_the_own_code_where_they_report(tournament):
    staff = Client()
    staff.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/rounds/1/print/slips/"
    page = text(staff.get(address))
    for code in codes(tournament, table=2):
        assert f"Phone code <strong>{phone_code(tournament.pk, 1, 2, code)}</strong>" in page
    change_settings(tournament, reporting="off")
    assert "Phone code" not in text(staff.get(address))


@pytest.fixture
def desk():
    """An event whose staff accept reports: table 1 agrees, table 2 differs, at table 3 one player reported."""
    tournament = running("staff")
    staff = Client()
    staff.force_login(tournament.owner)
    assert 'id="reports"' in text(
        staff.get(f"/t/{tournament.slug}/desk/rounds/1/")
    )  # the sheet is kept from here on
    for table, slips in ((1, ("21", "12")), (2, ("20", "20")), (3, ("", "02"))):
        for code, slip in zip(codes(tournament, table), slips, strict=True):
            if slip:
                report_result(tournament, code, 1, parse_slip(slip))
    tournament.refresh_from_db()
    return tournament, staff


def accept(tournament, staff, **fields):
    address = f"/t/{tournament.slug}/desk/rounds/1/reports/"
    return staff.post(address, {"key": key(), **fields}, follow=True)


def test_the_desk_shows_disputed_tables_first_and_accepts_what_agrees(desk):
    tournament, staff = desk
    page = text(staff.get(f"/t/{tournament.slug}/desk/rounds/1/"))
    assert "reports differ" in text(staff.get(f"/t/{tournament.slug}/desk/judge/"))
    places = [
        page.index(words) for words in ("the reports differ", "Both players of 1 table", "1 report waits")
    ]
    assert places == sorted(places)
    assert "A accepts all of them" in page and 'data-key="a"' in page
    assert "both reported" in page and "1 of 2 reported" in page
    page = text(accept(tournament, staff))
    assert "2–1" in page and "Both players of" not in page
    assert [result(tournament, table) for table in (1, 2, 3)] == [("played", "a"), None, None]
    assert "No 2 reports agree now." in text(accept(tournament, staff))


def test_staff_accept_one_report_as_the_page_showed_it(desk):
    tournament, staff = desk
    assert accept(tournament, staff, table=2, text="20").status_code == 409
    assert accept(tournament, staff, table=3, text="21").status_code == 409
    assert accept(tournament, staff, table=4).status_code == 409
    assert "Accept the report of table 3" in text(staff.get(f"/t/{tournament.slug}/desk/rounds/1/"))
    assert "2–0" in text(accept(tournament, staff, table=3, text="20"))
    assert [result(tournament, table) for table in (1, 2, 3)] == [None, None, ("played", "a")]


def test_an_open_desk_learns_of_reports(desk):
    tournament, staff = desk
    since = tournament.revision
    report_result(tournament, codes(tournament, 4)[0], 1, parse_slip("20"))
    address = f"/t/{tournament.slug}/desk/rounds/1/rows/?since={since}"
    news = text(staff.get(address, HTTP_HX_REQUEST="true"))
    assert "2 reports wait" in news and 'id="match-4"' in news and 'id="match-1"' not in news


@pytest.mark.parametrize("what", ["report", "confirm", "withdraw"])
def test_a_form_of_the_pairings_before_a_repair_reports_nothing_of_the_new_match(tournament, phones, what):
    ann, bo = phones
    sent = {"slip": "20", "against": re.search(r'name="against" value="(\w+)"', ann.page())[1]}
    assert sent["against"] == bo.code
    first, second = match_of(tournament, 1), match_of(tournament, 2)
    with open_action(tournament, "seats") as log:  # as a repair does: the second players change places
        other = second.seats.get(side="b").entry.code
        log.reseat({match_key(first): {"b": other}, match_key(second): {"b": bo.code}})
    answer = ann.send(what, **sent)
    assert answer.status_code == 409 and "you have another opponent. Nothing was saved." in text(answer)
    assert reports(tournament) == {}


def test_the_words_of_a_refusal_show_the_name_that_the_public_reads(phones, tournament):
    ann, bo = phones
    rename_entry(tournament, bo.code, "Boris Godunov")
    change_settings(tournament, name_privacy="initial")
    record_result(tournament, 1, 1, parse_slip("20"))
    answer = ann.send("report", slip="02")
    assert answer.status_code == 409 and "Boris G." in text(answer) and "Godunov" not in text(answer)
