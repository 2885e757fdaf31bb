import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page, press
from tests.steps import complete_round
from tests.tournament.views.desk import key, running, sign_in_staff, signed_in
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.event.read import read_state
from tournament.models import Removal, Staff, Tournament
from tournament.services.anonymity import anonymize_entry
from tournament.services.drops import drop_entry
from tournament.services.entries import (
    add_entries,
    add_entry,
    change_entry,
    change_personal_fields,
    prohibit_pair,
    remove_entry,
)
from tournament.services.staff import create_invite
from tournament.views.entry import CHANGES

PAIRING = {"awarded_byes": 0, "seed_rank": "", "rating": ""}  # as the form sends them when nothing is set


def opened(client, players=4, **fields):
    return signed_in(client, entries=players, **fields)


def players(client, tournament, part="players", **query):
    return page(client, f"/t/{tournament.slug}/desk/{part}/", **query)


def paste(client, tournament, names, **fields):
    fields = {"names": names, "key": key(), **fields}
    return Page(client.post(f"/t/{tournament.slug}/desk/players/", fields, follow=True))


def change(client, tournament, code, what, **fields):
    address = f"/t/{tournament.slug}/desk/players/{code}/{what}/"
    return Page(client.post(address, {"key": key(), **fields}, follow=True))


def messages(shown: Page) -> list[str]:
    return [words.removesuffix(" Undo") for words in shown.all(".notice[role=status]")]


def codes(rows) -> list[str]:
    return list(rows.order_by("code").values_list("code", flat=True))


def test_a_pasted_list_is_registered_once_and_its_message_offers_undo(client):
    tournament = opened(client, 0)
    sent = key()
    for _ in range(2):
        shown = paste(client, tournament, "Ada Ruiz\n\n  Bo   Lind \r\nCy Ruiz", key=sent)
        assert messages(shown) == ["3 players added."]
    assert list(tournament.entries.values_list("name", flat=True)) == ["Ada Ruiz", "Bo Lind", "Cy Ruiz"]
    back = press(client, shown, "Undo")
    assert back.answer.redirect_chain[-1][0] == f"/t/{tournament.slug}/desk/players/"
    assert not tournament.entries.exists()


def test_undo_is_offered_only_on_pages_of_the_same_event_to_its_staff(client):
    tournament = opened(client, 2)
    other = TournamentFactory(entries=2, owner=tournament.owner)
    for code in ("P0001", "P0002"):  # actions of the same numbers
        drop_entry(other, code)
    invite = create_invite(other, "judge", actor=tournament.owner)
    pages = {"Ada Ruiz": f"/t/{other.slug}/desk/players/", "Bo Lind": f"/invite/{invite}/"}
    for name, address in pages.items():
        client.post(f"/t/{tournament.slug}/desk/players/", {"names": name, "key": key()})
        shown = page(client, address)
        assert "1 player added." in shown and "Undo" not in shown.all("button")


@pytest.mark.parametrize("names", ["", "   \n ", "x" * 81, "\x00"])
def test_a_list_that_is_none_is_refused(client, names):
    tournament = opened(client, 0)
    assert paste(client, tournament, names).status == 422
    assert not tournament.entries.exists()


@pytest.mark.parametrize(
    ("overrides", "words", "result"),
    [
        ({}, "counts as a loss", "missed"),
        ({"late_entry": {"missed": "half"}}, "counts as a half-point bye", "half_bye"),
    ],
)
def test_what_a_missed_round_counts_as_is_the_rulesets_word(client, overrides, words, result):
    tournament = running(client, 4, overrides=overrides)
    for part in ("players", "players/add"):
        assert words in players(client, tournament, part, add="names")
    paste(client, tournament, "Late Lou")
    late = tournament.entries.get(name="Late Lou")
    assert (late.late, late.joined_round, late.seats.get().match.result) == (True, 2, result)


def test_an_entry_is_renamed_dropped_reinstated_and_disqualified(client):
    tournament = opened(client)
    entry = tournament.entries.get(code="P0001")
    assert "The player is now called Żółć." in change(client, tournament, "P0001", "name", name="Żółć")
    for what, fields, status in (
        ("drop", {}, "dropped"),
        ("reinstate", {}, "playing"),
        ("disqualify", {"why": ""}, "playing"),
        ("disqualify", {"why": "fixed a match"}, "disqualified"),
    ):
        shown = change(client, tournament, "P0001", what, **fields)
        entry.refresh_from_db()
        assert (entry.name, entry.status) == ("Żółć", status)
        assert (shown.status == 422) == (fields.get("why") == "")
        assert ("Reinstate" in shown.all("button")) == (status != "playing")
    back = press(client, shown, "Undo")
    assert back.answer.redirect_chain[-1][0] == f"/t/{tournament.slug}/desk/players/P0001/"
    assert "Undo" not in back.all("button") and "disqualified" not in back.one(".title, .top")


def test_nothing_is_owed_or_lost_by_who_leaves_before_round_1(client):
    tournament = opened(client)
    out, back = (change(client, tournament, "P0001", what) for what in ("drop", "reinstate"))
    assert "withdrawn before round 1" in out and "still has to be played" not in out
    assert "is playing." in back and "Missed rounds count as losses" not in back
    RoundFactory(tournament=tournament)
    out, back = (change(client, tournament, "P0001", what) for what in ("drop", "reinstate"))
    assert "still has to be played" in out and "Missed rounds count as losses" in back


def test_who_never_sat_can_be_taken_out_by_a_double_press(client, monkeypatch):
    tournament = opened(client)
    sent, count = key(), tournament.actions.count()
    for _ in range(2):
        shown = change(client, tournament, "P0004", "remove", key=sent)
        assert shown.answer.redirect_chain == [(f"/t/{tournament.slug}/desk/players/", 303)]
    assert not tournament.entries.filter(code="P0004").exists() and tournament.actions.count() == count + 1
    assert change(client, tournament, "P0004", "remove").status == 404

    def remove_late(*args, **fields):  # another scorekeeper was first
        remove_entry(tournament, "P0003")
        return remove_entry(*args, **fields)

    with monkeypatch.context() as patched:
        patched.setitem(CHANGES, "remove", CHANGES["remove"]._replace(service=remove_late))
        second = change(client, tournament, "P0003", "remove")
    assert second.status == 404 and "There is no player P0003 in this event." in second


def test_nonsense_about_a_player_gets_a_4xx(client):
    tournament = opened(client)
    for what in ("name", "pairing", "disqualify", "drop", "remove", "nothing"):
        answer = change(client, tournament, "P9999", what, name="x", why="x", awarded_byes=0)
        assert answer.status == 404, what
    assert change(client, tournament, "P0001", "explode").status == 404
    for name in PAIRING:
        for value in ("99999999999999999999", "\x00", "x", "1.5"):
            answer = change(client, tournament, "P0001", "pairing", **PAIRING | {name: value})
            assert answer.status == 422, (name, value)
    Tournament.objects.filter(pk=tournament.pk).update(state="finished")
    refused = paste(client, tournament, "Late")
    assert refused.status == 409 and "The event is finished" in refused


def test_labels_are_written_one_a_line_and_standings_are_read_by_them(client):
    tournament = running(client, 4)
    enter_results(tournament, 1)
    labels = " Junior\r\nClub, North \n\nJunior\u202e"
    shown = change(client, tournament, "P0001", "pairing", labels=labels, **PAIRING)
    entry = tournament.entries.get(code="P0001")
    assert entry.labels == ["Junior", "Club, North"]
    assert shown.one("textarea[name=labels]").text.strip() == "Junior\nClub, North"
    complete_round(tournament, 1)
    assert "Club, North" in page(client, f"/t/{tournament.slug}/standings/").all(".menu a")
    assert "Junior, Club, North" in page(client, f"/t/{tournament.slug}/desk/log/")
    for labels in ("x" * 61, "\n".join(map(str, range(21)))):
        refused = change(client, tournament, "P0001", "pairing", labels=labels, **PAIRING)
        assert refused.status == 422
        assert "Enter at most 20 labels of up to 60 characters each." in refused
    change(client, tournament, "P0001", "pairing", labels="", **PAIRING)
    entry.refresh_from_db()
    assert entry.labels == []


# --- several players at once -------------------------------------------------------------------------------


def select(client, tournament, do, *chosen, query="", **fields):
    address = f"/t/{tournament.slug}/desk/selected-players/{query}"
    return Page(client.post(address, {"key": key(), "do": do, "codes": chosen, **fields}, follow=True))


@pytest.mark.parametrize(
    ("do", "field", "done", "left"),
    [
        (
            "check-in",
            "checked_in",
            "2 players checked in.",
            "Only players who are playing and not here yet are checked in.",
        ),
        ("paid", "paid", "2 players marked as paid.", "The others have already paid."),
    ],
)
def test_selected_players_are_checked_in_or_marked_as_paid_in_one_action(client, do, field, done, left):
    tournament = opened(client, 4)
    select(client, tournament, do, "P0001")
    count = tournament.actions.count()
    shown = select(client, tournament, do, "P0001", "P0002", "P0003", "P0099")
    assert messages(shown) == [
        done,
        f"2 players were left as they are: Player 01, P0099. {left}",
    ]
    assert tournament.actions.count() == count + 1
    rows = tournament.entries.filter(**{field: True})
    assert codes(rows) == ["P0001", "P0002", "P0003"]
    press(client, shown, "Undo")
    assert codes(rows) == ["P0001"] and integrity.check(tournament) == []


def test_selected_players_are_removed_and_an_undo_brings_them_back_whole(client):
    tournament = opened(client, 5)
    change_personal_fields(
        tournament, "P0002", last_name="02", contact="ada@example.org", external_id="42", notes="x"
    )
    change_entry(tournament, "P0002", labels=["North"], rating=1850)
    prohibit_pair(tournament, "P0002", "P0004")

    def people():
        return [{**row, "id": 0} for row in tournament.entries.order_by("code").values()]

    before, were = read_state(tournament)[0], people()
    shown = select(client, tournament, "remove", "P0002", "P0003")
    assert messages(shown) == ["2 players removed."] and tournament.entries.count() == 3
    tournament.refresh_from_db()
    assert tournament.forbidden == []
    changes = str(tournament.actions.latest("number").changes)
    assert "Player 02" not in changes and "example.org" not in changes
    press(client, shown, "Undo")
    tournament.refresh_from_db()
    assert people() == were and read_state(tournament)[0] == state_at(tournament) == before
    assert integrity.check(tournament) == [] and not Removal.objects.exists()


def test_who_may_not_be_meant_is_left_and_that_is_said(client):
    tournament = opened(client, 4)
    add_entries(tournament, ["Spare"])
    drop_entry(tournament, "P0005")
    shown = select(client, tournament, "check-in", "P0001", "P0005")
    left = "Only players who are playing and not here yet are checked in."
    assert messages(shown) == ["1 player checked in.", f"1 player was left as is: Spare. {left}"]
    RoundFactory(tournament=tournament)
    shown = select(client, tournament, "remove", "P0001", "P0005")
    left = "1 player was left as is: Player 01. "
    left += "Drop players who have a seat, a penalty, a deck check or another entry."
    assert messages(shown) == ["1 player removed.", left]
    assert codes(tournament.entries) == ["P0001", "P0002", "P0003", "P0004"]
    count = tournament.actions.count()
    assert "Tick the boxes" in select(client, tournament, "paid")
    assert select(client, tournament, "promote", "P0001").status == 400
    assert tournament.actions.count() == count


def test_a_removed_player_is_forgotten_once_anyone_is_anonymized(client):
    tournament = opened(client, 4)
    shown = select(client, tournament, "remove", "P0002")
    anonymize_entry(tournament, "P0001")
    assert not Removal.objects.exists()
    refused = press(client, shown, "Undo")
    assert refused.status == 409 and "The log does not store names" in refused


def test_the_whole_list_as_it_was_searched_for_can_be_meant(client):
    tournament = opened(client, 0)
    add_entries(tournament, [f"Ada {n}x" for n in range(30)] + ["Bo Lind"])
    shown = players(client, tournament, q="ada")
    assert len(shown.soup.select("[name=codes]")) == 25
    assert "All 30 players in this list, on every page" in shown
    shown = select(client, tournament, "paid", query="?q=ada", everyone="on")
    assert messages(shown) == ["30 players marked as paid."]
    assert not tournament.entries.get(name="Bo Lind").paid


def test_two_thousand_selected_players_cost_a_few_queries(client, django_assert_max_num_queries):
    tournament = opened(client, 0)
    add_entries(tournament, [f"Somebody {n:04d}x" for n in range(2000)])
    everyone = codes(tournament.entries)
    for do in ("check-in", "paid", "remove"):
        with django_assert_max_num_queries(120):
            select(client, tournament, do, *everyone)
    assert not tournament.entries.exists()


ADA = {"name": "Ada Ruiz", "external_id": "1234", "contact": "ada@example.org", "alias": "Ace"}


@pytest.fixture
def desk(client):
    owner = UserFactory()
    client.force_login(owner)
    earlier = TournamentFactory(entries=0, owner=owner, name="Last Friday")
    add_entry(earlier, {"rating": 1850, "rating_source": "Elo", "labels": ["North"], "paid": True}, ADA)
    return TournamentFactory(entries=0, owner=owner)


def address(tournament, where):
    return f"/t/{tournament.slug}/desk/{where}/"


def offered(client, tournament, letters):
    return page(client, address(tournament, "regulars"), name=letters)


def post(client, tournament, where="players/add", **fields):
    return client.post(address(tournament, where), {"key": key(), **fields}, follow=True)


def test_a_player_is_added_with_all_that_is_known(client, desk):
    fields = {"rating": "1700", "rating_source": "club list", "labels": "North\nJunior", "paid": "on"}
    fields |= {"external_id": "77", "contact": "bo@x", "notes": "pays later"}
    assert "Bo Lind added." in Page(post(client, desk, name=" Bo  Lind", **fields))
    entry = desk.entries.get()
    assert (entry.name, entry.rating, entry.rating_source, entry.paid) == ("Bo Lind", 1700, "club list", True)
    assert (entry.labels, entry.external_id, entry.contact) == (["North", "Junior"], "77", "bo@x")
    assert entry.notes == "pays later"
    log = str(list(desk.actions.values_list("changes", flat=True)))
    assert not any(word in log for word in ("Bo Lind", "bo@x", "77'", "pays later"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "Enter a name."),
        ({"name": "\u200b\u202e"}, "Enter a name."),
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"name": "Bo", "rating": "strong"}, "Enter a rating such as 1500."),
        ({"name": "Bo", "external_id": "1" * 61}, "at most 60 characters"),
        ({"name": "Bo", "labels": "x" * 61}, "at most 20 labels"),
    ],
)
def test_what_is_no_player_is_refused_at_its_field(client, desk, fields, words):
    answer = post(client, desk, **fields)
    assert answer.status_code == 422 and words in Page(answer)
    assert not desk.entries.exists()


def test_a_membership_number_belongs_to_one_player(client, desk):
    post(client, desk, name="Bo", external_id="5")
    answer = post(client, desk, name="Chen", external_id="5")
    assert answer.status_code == 409
    assert "Membership number 5 already belongs to Bo (P0001)." in Page(answer)
    assert desk.entries.count() == 1


def test_a_second_player_of_a_name_is_pointed_out(client, desk):
    assert "players are now called" not in Page(post(client, desk, name="Żółć"))
    assert "2 players are now called ŻÓŁĆ." in Page(post(client, desk, name="ŻÓŁĆ"))
    assert desk.entries.count() == 2


def test_two_letters_offer_a_regular_who_comes_along_with_what_is_known(client, desk):
    assert "Ada Ruiz" not in offered(client, desk, "a")
    shown = offered(client, desk, "ru")
    assert "Add Ada Ruiz" in shown and "Last Friday" in shown
    post(client, desk, "regulars", regular=shown.one("[name=regular]")["value"])
    entry = desk.entries.get()
    assert (entry.rating, entry.rating_source, entry.labels, entry.paid) == (1850, "Elo", ["North"], False)
    assert {name: getattr(entry, name) for name in ADA} == ADA
    assert "already registered" in offered(client, desk, "ada")
    shown = page(
        client, address(desk, "players/add"), name="ada"
    )  # without a script the page itself offers them
    assert "Ada Ruiz" in shown and shown.soup.select('[name=name][value="ada"]')


def test_regulars_are_those_of_events_one_runs_offered_once_as_last_seen(client, desk):
    newer = TournamentFactory(entries=0, owner=desk.owner, name="Yesterday")
    add_entry(newer, {"rating": 1900}, {**ADA, "name": "Ada Ruiz-Lind"})
    shown = offered(client, desk, "ada")
    assert len(shown.all("[name=regular]")) == 1 and "Ada Ruiz-Lind" in shown and "rating 1900" in shown
    strange = TournamentFactory(entries=0, name="Not mine")
    add_entry(strange, {}, {"name": "Adam Strange"})
    assert "Adam" not in offered(client, desk, "ad")
    pk = strange.entries.get().pk
    assert post(client, desk, "regulars", regular=pk).status_code == 404
    assert not desk.entries.exists()
    judge = Staff.objects.create(tournament=strange, user=desk.owner, role="judge")
    assert "Adam" not in offered(client, desk, "ad")
    judge.role = "scorekeeper"
    judge.save()
    assert "Adam Strange" in offered(client, desk, "ad")
    for value in ("", "x", "-1", "9" * 30, "\x00", "٣"):
        assert post(client, desk, "regulars", regular=value).status_code == 404


def test_what_is_personal_is_changed_and_only_named_in_the_log(client, desk):
    post(client, desk, name="Bo")
    fields = {"alias": "Boss", "external_id": "9", "contact": "bo@x", "notes": "left-handed"}
    client.post(address(desk, "players/P0001/person"), {"key": key(), **fields})
    entry = desk.entries.get()
    assert (entry.alias, entry.external_id, entry.contact, entry.notes) == tuple(fields.values())
    log = page(client, address(desk, "log"))
    assert "Bo: notes for staff changed" in log and "left-handed" not in log


def test_a_judge_sees_neither_contact_nor_notes(client, desk):
    post(client, desk, name="Bo", contact="bo@example.org", notes="left-handed")
    sign_in_staff(client, desk)
    shown = client.get(address(desk, "players/P0001")).content.decode()
    assert "Bo" in shown and "bo@example.org" not in shown and "left-handed" not in shown


def test_who_waits_stands_under_a_heading_of_their_own_and_is_let_in(client, desk):
    post(client, desk, name="Bo")
    post(client, desk, name="Chen")
    desk.entries.filter(name="Chen").update(status="waitlisted", waits=5)
    desk.entries.get(name="Chen").stage_entries.all().delete()
    words = page(client, address(desk, "players")).words
    assert "1 player" in words
    assert words.index("Bo") < words.index("1 on the waitlist") < words.index("Chen")
    client.post(address(desk, "players/P0002/admit"), {"key": key()})
    assert desk.entries.get(name="Chen").status == "playing"
    assert "2 players" in page(client, address(desk, "players"))


def test_where_it_is_too_late_a_regular_and_a_no_show_come_with_a_reason(client, desk):
    late = {"late_entry": {"allowed_until_round": 1}}
    tournament = TournamentFactory(entries=4, owner=desk.owner, overrides=late)
    drop_entry(tournament, "P0004")
    RoundFactory(tournament=tournament)
    regular = offered(client, tournament, "ada").one("[name=regular]")["value"]
    refused = Page(post(client, tournament, "regulars", regular=regular))
    assert refused.status == 409 and "Enter a reason" in refused and refused.all("[name=reason]")
    post(client, tournament, "regulars", regular=regular, reason="train")
    assert tournament.entries.get(name="Ada Ruiz").late
    again = address(tournament, "players/P0004/reinstate")
    assert "Enter a reason" in Page(client.post(again, {"key": key()}))
    assert client.post(again, {"key": key(), "reason": "train"}).status_code == 303
    assert tournament.entries.get(code="P0004").joined_round == 2
