"""Every correction as on its page: look at what changes, then save it with a reason."""

from standings.table.swiss import compute_standings
from tests.pages import Page
from tournament.event.read import load_event_values

RULING = {"reason": "The slip was read the wrong way round.", "ruled_by": "Ana"}
SAVE = "Save the correction"


def look(client, address, /, **fields):
    return Page(client.post(address, fields))


def saving(shown, /, **typed):
    """Return the data of the save button on the page that shows the effect."""
    return {**shown.form(SAVE).fields, **RULING, **typed}


def save(client, address, /, **fields):
    shown = look(client, address, **fields)
    return shown, client.post(address, saving(shown))


def save_twice(client, address, /, **fields):
    """The same with the save button pressed twice, each time the long way: status and address of both answers."""
    sent = saving(look(client, address, **fields), shown="")
    answers = [client.post(address, sent) for _ in range(2)]
    return [(answer.status_code, answer.headers.get("Location")) for answer in answers]


def ranks(event):
    values = load_event_values(event) if hasattr(event, "pk") else event
    return {row.entry: row.rank for row in compute_standings(values)}


def rank_changes(shown):
    """[(player, rank before, rank after)] in the page's last table, which has them all."""
    tables = shown.soup.select("[aria-labelledby=effect] table")
    rows = tables[-1].select("tbody tr") if tables else []
    return sorted(
        (row.th.find(string=True).strip(), *(cell.get_text() for cell in row.select("td")[:2]))
        for row in rows
    )
