import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.event import read
from tournament.models import Match, Tournament

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole_event]

NAMES = [
    "Ada Ruiz",
    "Bo Lind",
    "Chen Wei",
    "Dee Marsh",
    "Eli Ito",
    "Faro Ortiz",
    "Grace Petrov",
    "Hugo Haddad",
    "Ines Novak",
    "Kim Lee",
    "Kim Lee",
    "Maximiliana Featherstonehaugh-Cholmondeley of the Upper Valley",
    "Nour O’Brien",
]
POLL = 40_000  # ms: a phone asks every 10 to 15 s


class Desk:
    def __init__(self, page: Page, base: str):
        self.page, self.base = page, base
        page.set_viewport_size({"width": 1280, "height": 900})
        page.set_default_timeout(30_000)

    def sign_up(self) -> None:
        self.page.goto(f"{self.base}/signup/")
        self.page.get_by_label("Username").fill("organizer")
        self.page.get_by_label("Password", exact=False).first.fill("a good long password")
        self.page.get_by_label(re.compile("again", re.I)).fill("a good long password")
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(f"{self.base}/")

    def create(self, name: str, rounds: int, cut: int) -> str:
        self.page.goto(f"{self.base}/new/")
        self.page.get_by_label("Name").fill(name)
        self.page.locator("summary").filter(has_text="Rounds").click()
        self.page.get_by_label("Swiss rounds").fill(str(rounds))
        self.page.get_by_label("Cut").select_option(str(cut))
        self.page.get_by_role("button", name="Create the event").click()
        self.page.wait_for_url(re.compile("/desk/"))
        return re.search(r"/t/([^/]+)/", self.page.url)[1]

    def add(self, slug: str, names: list[str]) -> None:
        self.page.goto(f"{self.base}/t/{slug}/desk/players/?add=names")
        self.page.get_by_label("Names, one per line").fill("\n".join(names))
        self.page.get_by_role("button", name="Add", exact=True).click()
        for name in {name for name in names if names.count(name) > 1}:  # the desk asks whether they are two
            self.page.get_by_role("combobox", name=name).select_option(f"Add {name}")
            self.page.get_by_role("button", name="Add", exact=True).click()
        expect(self.page.get_by_role("row").filter(has_text=names[-1]).first).to_be_visible()

    def next(self, slug: str, label: str) -> None:
        self.page.goto(f"{self.base}/t/{slug}/desk/")
        primary = self.page.locator(".btn.primary")
        expect(primary).to_have_text(label)
        primary.click()
        self.page.wait_for_load_state()

    def publish(self, number: int) -> None:
        self.page.get_by_role("button", name=f"Publish round {number}").click()
        expect(self.page.get_by_label("Table and result")).to_be_focused()
        self.page.wait_for_load_state()  # with its scripts: before them Enter sends a plain form

    def type(self, line: str, table: int) -> None:
        self.page.get_by_label("Table and result").fill(line)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#saved")).to_contain_text(f"Table {table}")
        expect(self.page.get_by_label("Table and result")).to_be_focused()


@pytest.fixture
def phone(browser: Browser) -> Page:
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def open_tables(slug: str, number: int) -> list[int]:
    matches = Match.objects.filter(round__tournament__slug=slug, round__number=number, result=None)
    return list(matches.order_by("table").values_list("table", flat=True))


def test_from_sign_up_to_champion(page: Page, phone: Page, live_server):
    desk = Desk(page, live_server.url)
    desk.sign_up()
    slug = desk.create("Saturday Open", rounds=3, cut=8)
    desk.add(slug, NAMES)

    phone.clock.install()  # so that the test need not wait for the next poll

    # The player finds the event by three letters before anything is paired.
    phone.goto(f"{live_server.url}/t/{slug}/")
    phone.get_by_label("Find a player").fill("ada")
    phone.keyboard.press("Enter")
    expect(phone.get_by_text("Not started yet")).to_be_visible()

    # Round 1: pairing, a draft only staff see, publishing; the phone learns its table by itself.
    desk.next(slug, "Pair round 1")
    assert phone.request.get(f"{live_server.url}/t/{slug}/rounds/1/").status == 404
    desk.publish(1)
    in_bye = Match.objects.get(round__tournament__slug=slug, result="bye").seats.get().entry.name
    phone.clock.fast_forward("00:30")
    if in_bye != "Ada Ruiz":
        match = Match.objects.get(round__tournament__slug=slug, seats__entry__name="Ada Ruiz")
        expect(phone.locator("#seat h1 b")).to_have_text(str(match.table), timeout=POLL)
    desk.type("1 20", 1)
    desk.type("2 id", 2)
    desk.type("3 21x", 3)  # the second player of table 3 drops
    page.locator("#match-4").get_by_role("link").click()
    page.locator("#match-4").get_by_role("button", name=re.compile("1–1")).click()
    expect(page.locator("#match-4 .score")).to_have_text(re.compile("1–1"))
    page.locator("#match-5").get_by_role("link").click()
    page.locator("#match-5").get_by_label("Time called: 1 game unfinished").check()
    page.locator("#match-5 [name=a]").fill("1")
    page.locator("#match-5 [name=b]").fill("0")
    page.locator("#match-5").get_by_role("button", name="Save").click()
    expect(page.locator("#match-5 .score")).to_have_text(re.compile("1–0–1"))
    desk.type("6 02", 6)
    desk.type("6 12", 6)  # corrected before the round is over
    assert open_tables(slug, 1) == []

    # A late player lost round 1 and plays round 2.
    desk.add(slug, ["Late Lou"])
    for number in (2, 3):
        desk.next(slug, f"Pair round {number}")
        desk.publish(number)
        for table in open_tables(slug, number):
            desk.type(f"{table} 2{table % 2}", table)
    phone.reload()
    phone.get_by_role("link", name="Standings").first.click()
    expect(phone.get_by_role("heading", level=1)).to_contain_text("after round 2")

    # The cut and its bracket: 1v8, 4v5, 2v7, 3v6.
    desk.next(slug, "Cut to top 8")
    page.get_by_role("button", name=re.compile("these 8 advance")).click()
    page.wait_for_url(re.compile("/desk/bracket/"))
    for _ in range(7):
        row = page.locator("article.match-row").filter(has=page.locator("form:not(details form)")).first
        label = row.get_attribute("id")
        row.get_by_role("button", name=re.compile("2–1")).first.click()
        expect(page.locator(f"#{label} .score")).to_be_visible()
    desk.next(slug, "Finish the event")

    tournament = Tournament.objects.get(slug=slug)
    assert tournament.state == "finished"
    stage = tournament.stages.get(kind="elimination")
    first_round = {
        tuple(
            sorted(
                stage.stage_entries.get(entry=seat.entry).seed for seat in match.seats.select_related("entry")
            )
        )
        for match in Match.objects.filter(round__tournament=tournament, round__number=4)
    }
    assert first_round == {(1, 8), (4, 5), (2, 7), (3, 6)}
    champion = stage.stage_entries.get(seed=1).entry.name

    # The player sees who won, and everybody's place.
    phone.goto(f"{live_server.url}/t/{slug}/bracket/")
    expect(phone.locator(".champion")).to_contain_text(champion)
    expect(phone.locator(".places li")).to_have_count(14)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390

    assert integrity.check(tournament) == []
    assert state_at(tournament) == read.read_state(tournament)[0]
    dropped = tournament.entries.get(status="dropped")
    assert (
        dropped.dropped_after == 1
        and not stage.stage_entries.filter(entry=dropped, seed__isnull=False).exists()
    )
