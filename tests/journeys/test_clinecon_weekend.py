import datetime as dt
import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from standings.event.bracket import final_places_of
from tests.journeys.test_whole_event import Desk, open_tables
from tournament.actionlog import integrity
from tournament.event import read
from tournament.models import Match, Tournament

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.whole_event, pytest.mark.slow]

SATURDAY = ["Ada", "Bo", "Cem", "Dee", "Eli", "Fay", "Gus"]
SUNDAY = ["Hal", "Ida", "Jan", "Kim"]


class Weekend(Desk):
    def create_twixt(self) -> str:
        self.page.goto(f"{self.base}/new/")
        self.page.get_by_label("Name").fill("ClineCON")
        self.page.locator("[name=ruleset]").select_option("twixt")
        self.page.get_by_role("button", name="Create the event").click()
        self.page.wait_for_url(re.compile("/desk/"))
        return re.search(r"/t/([^/]+)/", self.page.url)[1]

    def play(self, slug: str, number: int, house: str = "") -> None:
        """Pair, publish, and enter every table of a round; the better-placed side of odd tables wins."""
        self.page.goto(f"{self.base}/t/{slug}/desk/")
        self.page.locator(".btn-primary").click()
        if house:
            known = self.page.get_by_role("radio", name=f"house opponent: {house}")
            if known.count():
                known.check()
            else:
                self.page.get_by_role("radio", name="a new house opponent plays").check()
                self.page.get_by_label("Name of the new house opponent").fill(house)
            self.page.get_by_role("button", name="Pair", exact=True).click()
        self.publish(number)
        for table in open_tables(slug, number):
            self.type(f"{table} {'10' if table % 2 else '01'}", table)

    def bracket(self, slug: str, title: str):
        self.page.goto(f"{self.base}/t/{slug}/desk/bracket/")
        return self.page.get_by_role("article", name=title, exact=True)

    def enter(self, slug: str, title: str, score: str) -> None:
        row = self.bracket(slug, title)
        row.get_by_role("button", name=re.compile(f" {score} ")).first.click()
        expect(self.page.get_by_role("article", name=title, exact=True).locator(".score")).to_be_visible()


def test_a_weekend_from_two_sessions_to_the_places(page: Page, live_server):
    desk = Weekend(page, live_server.url)
    desk.sign_up()
    slug = desk.create_twixt()
    desk.add(slug, SATURDAY)
    for number in (1, 2, 3):
        desk.play(slug, number, house="The director")
    tournament = Tournament.objects.get(slug=slug)
    met = tournament.seats.filter(entry__house=True).values_list("opponent__name", flat=True)
    assert len(met) == len(set(met)) == 3, "nobody meets the house opponent twice"

    # Sunday's session: two of Saturday's come again, as new entries, beside four new ones.
    page.goto(f"{live_server.url}/t/{slug}/desk/stages/")
    page.get_by_role("button", name="Open a session").click()
    for name in ("Ada", "Gus"):
        code = tournament.entries.get(name=name).code
        page.goto(f"{live_server.url}/t/{slug}/desk/players/{code}/")
        page.get_by_role("button", name=re.compile("Re-enter")).click()
    desk.add(slug, SUNDAY)
    for number in (4, 5, 6):
        desk.play(slug, number)
    assert tournament.entries.filter(name="Ada").count() == 2

    # One cut over both sessions, a person once; who is next is said.
    desk.next(slug, "Cut to top 8")
    expect(page.get_by_role("heading", name="First alternates")).to_be_visible()
    page.get_by_role("button", name=re.compile("these 8 advance")).click()
    page.wait_for_url(re.compile("/desk/bracket/"))
    stage = tournament.stages.get(kind="elimination")
    seeded = [place.entry.name for place in stage.stage_entries.exclude(seed=None).select_related("entry")]
    assert len(seeded) == len(set(seeded)) == 8

    # A drawn quarterfinal: the repeat game has the other player first.
    desk.enter(slug, "Quarterfinal 1", "draw")
    row = desk.bracket(slug, "Quarterfinal 1")
    expect(row).to_contain_text("A repeat game follows.")
    row.get_by_role("button", name=re.compile("Repeat game:.* 1–0 ")).click()
    expect(page.get_by_role("article", name="Quarterfinal 1").locator(".drawn")).to_have_count(0)
    for title in ("Quarterfinal 2", "Quarterfinal 3", "Quarterfinal 4"):
        desk.enter(slug, title, "1–0")

    # A drawn semifinal late on Sunday: no repeat game fits, the higher seed goes on.
    stage.ends_at = timezone.now() + dt.timedelta(minutes=70)
    stage.save(update_fields=["ends_at"])
    desk.enter(slug, "Semifinal 1", "draw")
    row = desk.bracket(slug, "Semifinal 1")
    expect(row).to_contain_text("too little time for later rounds")
    row.get_by_role("button", name="Advance the higher seed").click()
    expect(page.get_by_role("article", name="Semifinal 1").locator(".drawn")).to_have_count(0)
    desk.enter(slug, "Semifinal 2", "1–0")
    desk.enter(slug, "Final", "0–1")

    # Everybody's place; the bracket page tells how the two drawn matches ended.
    tournament.refresh_from_db()
    semi = Match.objects.get(round__tournament=tournament, slot="W2.1")
    assert (semi.decided, semi.winner) == ("higher_seed", "a")
    final = Match.objects.get(round__tournament=tournament, slot="F.1")
    champion = final.seats.get(side="b").entry
    rows = final_places_of(read.event_of(tournament))
    assert rows[0].entry == champion.code
    assert [row.place for row in rows[:8]] == list(range(1, 9))
    page.goto(f"{live_server.url}/t/{slug}/bracket/")
    expect(page.locator("main")).to_contain_text(champion.name)
    expect(page.locator("main")).to_contain_text("repeat game")
    assert integrity.check(tournament) == []
