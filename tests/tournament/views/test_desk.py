"""The whole road as an organizer without JavaScript walks it: forms out of the page, sent back, followed."""

import re
from html.parser import HTMLParser

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tournament.models import Staff, Tournament
from tournament.services.player_messages import send_message, settle_message

pytestmark = pytest.mark.django_db


class Forms(HTMLParser):
    """The forms of a page: action, hidden and filled fields, and the named buttons."""

    def __init__(self, html):
        super().__init__()
        self.all = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.all.append({"action": values.get("action", ""), "fields": {}, "buttons": []})
        elif tag == "input" and self.all and values.get("name") and values.get("type") != "checkbox":
            self.all[-1]["fields"][values["name"]] = values.get("value", "")
        elif tag == "button" and self.all and values.get("name"):
            self.all[-1]["buttons"].append((values["name"], values["value"]))


def forms(response):
    return Forms(response.content.decode()).all


def link(response, ending):
    """The address of the link on the page that ends so."""
    return re.search(rf'href="([^"]*{ending})"', response.content.decode())[1]


def send(client, response, action, **fields):
    """Send the form with that action on the page, with these fields filled in, and follow it."""
    form = next(form for form in forms(response) if form["action"].endswith(action))
    return client.post(form["action"], {**form["fields"], **fields}, follow=True)


def test_an_organizer_walks_the_road_without_javascript(client):
    page = client.get("/signup/")
    page = client.post(
        "/signup/",
        {"username": "ada", "password1": "correct horse", "password2": "correct horse"},
        follow=True,
    )
    page = client.get("/new/")
    key = forms(page)[-1]["fields"]["key"]
    page = client.post("/new/", {"name": "Friday night", "ruleset": "mtr", "key": key}, follow=True)
    assert page.redirect_chain == [("/t/friday-night/desk/players/", 303)]
    assert "Add players" in client.get("/t/friday-night/desk/").content.decode()
    page = send(client, page, "/desk/players/", names="\n".join(f"Player {n}" for n in range(1, 6)))
    assert "5 players added." in page.content.decode()
    page = client.get("/t/friday-night/desk/")
    page = send(client, page, "/desk/pair/")
    assert "Before you publish" in page.content.decode()
    page = send(client, page, "/publish/")
    assert "Round 1 · 2 of 2 tables outstanding" in page.content.decode()
    page = client.get(link(page, "/rounds/1/tables/1/slip/"))
    page = send(client, page, "/rounds/1/tables/1/result/", slip="21")
    assert "1 entered" in page.content.decode()
    page = send(client, page, "/rounds/1/box/", text="2 20x")
    assert "0 of 2 tables outstanding" in page.content.decode()
    assert "Pair round 2" in page.content.decode()
    page = client.get("/t/friday-night/desk/")
    page = send(client, page, "/desk/pair/")
    page = send(client, page, "/publish/")
    tournament = Tournament.objects.get()
    assert tournament.rounds.count() == 2
    assert tournament.entries.filter(status="dropped").count() == 1
    log = client.get("/t/friday-night/desk/log/").content.decode()
    assert re.search(r"Table 1, round 1: Player \d 2–1 Player \d", log)


@pytest.mark.parametrize("role", ["scorekeeper", "judge"])
def test_the_desk_offers_each_role_only_what_it_may_do(client, role):
    tournament = TournamentFactory(entries=4)
    member = UserFactory()
    Staff.objects.create(tournament=tournament, user=member, role=role)
    client.force_login(member)

    def desk():
        page = client.get(f"/t/{tournament.slug}/desk/")
        offered = [form["action"] for form in forms(page) if "/desk/" in form["action"]]
        refused = [action for action in offered if client.get(action).status_code not in (200, 405)]
        assert not refused
        steps = [action.split("/desk/")[1] for action in offered]
        return page.content.decode(), [step for step in steps if step != "undo/"]

    html, offered = desk()
    assert offered == (["pair/"] if role == "scorekeeper" else [])
    assert ("only an organizer or a scorekeeper can do this" in html) == (role == "judge")
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 2)
    html, offered = desk()
    assert "Finish the event: " in html and "only an organizer can do this" in html
    assert offered == (["pair/"] if role == "scorekeeper" else [])
    Tournament.objects.filter(pk=tournament.pk).update(state="finished")
    assert desk()[1] == []


def test_finishing_lists_open_messages_first_and_can_be_done_anyway(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    send_message(tournament, "P0003", "My result of round 1 is wrong.", number=1)
    client.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/finish/"
    asked = client.post(address, {"key": "once"})
    page = asked.content.decode()
    assert "Finish the event?" in page and "1 player message is still open." in page
    assert "My result of round 1 is wrong." in page and f"/t/{tournament.slug}/desk/players/P0003/" in page
    tournament.refresh_from_db()
    assert tournament.state == "running"
    send(client, asked, "/desk/finish/")
    tournament.refresh_from_db()
    assert tournament.state == "finished"


def test_finishing_asks_nothing_once_the_messages_are_done(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    send_message(tournament, "P0003", "Thank you all.")
    settle_message(tournament, 1)
    client.force_login(tournament.owner)
    client.post(f"/t/{tournament.slug}/desk/finish/", {"key": "once"})
    tournament.refresh_from_db()
    assert tournament.state == "finished"


def test_a_judge_sees_the_tables_of_a_round_and_nothing_that_enters_a_result(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    client.force_login(Staff.objects.create(tournament=tournament, user=UserFactory(), role="judge").user)
    home = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    assert "Go to the tables" in home and "Enter results of round 1</a>" not in home
    address = f"/t/{tournament.slug}/desk/rounds/1/"
    for page in (address, f"{address}tables/1/", f"{address}rows/?since=1"):
        html = client.get(page).content.decode()
        assert 'id="match-1"' in html
        assert "/result/" not in html and "/box/" not in html and "/correct/" not in html, page
