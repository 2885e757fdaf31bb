"""Two steps of one metric with different parameters: two columns told apart, each leading to its own sum."""

import json
import re
from fractions import Fraction

import pytest

from standings.words.metrics import titles_of_steps
from tests.standings.table.test_exports import club, page, read_csv
from tournament.event.read import event_of

pytestmark = pytest.mark.django_db

ORDER = [
    {"metric": "match_points"},
    {"metric": "buchholz", "params": {"cut_low": 1}},
    {"metric": "buchholz", "params": {"cut_low": 0}},
    {"metric": "random"},
]
UNLABELLED = [
    {"metric": "match_points"},
    {"metric": "buchholz", "params": {"rule": "raw"}},
    {"metric": "buchholz", "params": {"rule": "twixt"}},
    {"metric": "solkoff", "label": "BH"},
    {"metric": "buchholz", "params": {"rule": "fide"}, "label": "BH"},
    {"metric": "random"},
]


def naive_buchholz(tournament) -> dict[str, list[Fraction]]:
    """The scores of everyone's opponents, lowest first, where everyone played every round: no engine."""
    event = event_of(tournament)
    points = dict.fromkeys(event.entries, Fraction(0))
    met: dict[str, list[str]] = {code: [] for code in event.entries}
    for match in (match for round_ in event.rounds for match in round_.matches):
        a, b = match.games[:2]
        points[match.a] += Fraction((a > b) - (a < b) + 1, 2)
        points[match.b] += Fraction((b > a) - (b < a) + 1, 2)
        met[match.a].append(match.b)
        met[match.b].append(match.a)
    return {code: sorted(points[other] for other in others) for code, others in met.items()}


@pytest.fixture
def chess(db):
    tournament = club(10, 3, ruleset="fide", overrides={"tiebreaks": ORDER})
    scores = naive_buchholz(tournament)
    assert any(values[0] for values in scores.values()), "nothing is cut: the two columns would be equal"
    return tournament


def cells_of(text: str, code: str) -> dict[str, str]:
    """What stands in each linked column of a player's row, by the column's name in the address."""
    return dict(re.findall(rf'href="{code}/([\w-]+)/"\s[^>]*>([^<]+)</a>', text))


def test_the_two_columns_have_two_heads_two_sums_and_two_links(client, chess):
    text = page(client, chess, "standings/")
    heads = re.findall(r'<abbr title="([^"]+)">([^<]+)</abbr>', text)
    assert [title for _, title in heads[1:3]] == ["Buchholz, cut 1", "Buchholz"]
    explained = [formula for formula, _ in heads[1:3]]
    assert explained[0].endswith("; lowest left out: 1") and explained[1].endswith("; lowest left out: 0")
    for code, scores in naive_buchholz(chess).items():
        cells = cells_of(text, code)
        shown = [Fraction(cells[slug].replace("½", ".5")) for slug in ("buchholz", "buchholz-2")]
        assert shown == [sum(scores[1:]), sum(scores)], code


def test_each_derivation_opens_its_own_step(client, chess):
    for code, scores in naive_buchholz(chess).items():
        for slug, total, title in (
            ("buchholz", sum(scores[1:]), "Buchholz, cut 1"),
            ("buchholz-2", sum(scores), "Buchholz"),
        ):
            document = json.loads(page(client, chess, f"standings/{code}/{slug}.json"))
            assert (Fraction(document["exact"]), document["title"]) == (total, title)
            assert sum(Fraction(line["value"]) for line in document["lines"] if line["value"]) == total
            left_out = [line for line in document["lines"] if line["value"] is None]
            assert len(left_out) == (slug == "buchholz"), "the cut is not seen in the lines"
            text = page(client, chess, f"standings/{code}/{slug}/")
            assert f": {title}</h1>" in text and page(client, chess, f"standings/{code}/{slug}/row/")


def test_what_separates_two_players_leads_to_the_step_that_did(client, chess):
    """The columns linked from the page of a rank are those in which the two rows first differ."""
    document = json.loads(page(client, chess, "standings.json"))
    slugs, seen = document["slugs"], set()
    for above, below in zip(document["rows"], document["rows"][1:], strict=False):
        first = next(
            slug for slug, a, b in zip(slugs, above["values"], below["values"], strict=True) if a != b
        )
        links = page(client, chess, f"standings/{below['entry']}/")
        assert f"standings/{above['entry']}/{first}/" in links
        seen.add(first)
    assert {"buchholz"} <= seen


def test_the_exports_name_both_columns(client, chess):
    document = json.loads(page(client, chess, "standings.json"))
    assert document["slugs"][1:3] == ["buchholz", "buchholz-2"]
    assert document["titles"][1:3] == ["Buchholz, cut 1", "Buchholz"]
    scores = naive_buchholz(chess)
    for line in read_csv(page(client, chess, "standings.csv")):
        expected = scores[line["code"]]
        assert [line["buchholz exact"], line["buchholz-2 exact"]] == [sum(expected[1:]), sum(expected)]


def test_equal_titles_say_in_which_parameters_their_steps_differ(client):
    event = club(6, 2, ruleset="fide", overrides={"tiebreaks": UNLABELLED})
    heads = re.findall(r'<abbr title="[^"]+">([^<]+)</abbr>', page(client, event, "standings/"))
    titles = ["Buchholz (rule: scores as they stand)", "Buchholz (rule: ClineCON)"]
    assert (
        heads[1:3] == titles
        and heads[3:5] == ["BH (Solkoff)", "BH (Buchholz)"]
        and len({*heads}) == len(heads)
    )
    assert " → ".join(titles) in page(client, event, "rules/")


def test_titles_that_differ_anyway_stay_as_they_are():
    from standings.engine.ranking.chain import steps_of

    assert titles_of_steps(steps_of(ORDER)) == [
        "Match points",
        "Buchholz, cut 1",
        "Buchholz",
        "Random tiebreaker",
    ]
