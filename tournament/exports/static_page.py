"""The pages of a static copy: as they were, without what only a server can do."""

import re
from collections.abc import Callable
from html import escape, unescape
from typing import NamedTuple

VOID = set("area base br col embed hr img input link meta source track wbr".split())
DROPPED = {"form", "button"}
DROPPED_CLASSES = {"hall", "live-on", "live-off", "announcement", "asks"}  # asks: only a server answers
DROPPED_IDS = {"problem", "announce", "offline"}
DROPPED_ATTRIBUTES = ("hx-", "data-poll", "data-v", "data-announce", "data-notice", "data-until", "data-done")
KEPT_SCRIPT = "theme"  # light and dark as the device is set
# Our own pages: every value is quoted, and names are in lower case.
TAG = re.compile(r"""<(/?)([a-z][a-z0-9-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""([^\s=/"']+)(?:="([^"]*)"|='([^']*)')?""")


class StartTag(NamedTuple):
    """A start tag as it stands in the copy: its `text`, whether its element is `dropped`, and has nothing inside."""

    text: str
    dropped: bool
    empty: bool


class StaticPages:
    """Rewrites pages. `link(page, path, link)` makes a link on a page relative, or returns None if it leads out of the
    copy; `note` is added to each footer. A start tag is read once, however many pages have it."""

    def __init__(self, link: Callable[[str, str, str], str | None], note: str):
        self.link = link
        self.note = f"<p>{escape(note)}</p>"
        self._tags: dict[tuple[str, int], StartTag] = {}  # by depth: so relative links differ

    def rewrite(self, text: str, page: str, path: str) -> str:
        """The text of the page at the address `page` as it stands in the copy at `path`."""
        out: list[str] = []
        within: list[str] = []  # open elements of what is being left out
        at, depth = 0, path.count("/")
        for match in TAG.finditer(text):
            if not within:
                out.append(text[at : match.start()])
            at = match.end()
            closes, name = match[1], match[2]
            if closes:
                if name in within:
                    while within.pop() != name:
                        pass
                elif not within:
                    out.append(self.note + match[0] if name == "footer" else match[0])
                continue
            tag = self._tags.get((match[0], depth)) or self._read(match, page, path, depth)
            if not (within or tag.dropped):
                out.append(tag.text)
            elif not tag.empty:
                within.append(name)
        out.append(text[at:])
        return "".join(out)

    def _read(self, match: re.Match[str], page: str, path: str, depth: int) -> StartTag:
        name, inside = match[2], match[3]
        attributes = {key: a or b for key, a, b in ATTRIBUTE.findall(inside)}
        empty = name in VOID or inside.endswith("/")
        links = {key: unescape(attributes[key]) for key in ("href", "src") if attributes.get(key)}
        if _is_dropped(name, attributes):
            tag = StartTag("", True, empty)
        else:
            targets = {key: self.link(page, path, link) for key, link in links.items()}
            tag = StartTag(_text_of(match, attributes, targets), False, empty)
        if all(
            link.startswith(("/", "#")) for link in links.values()
        ):  # the same on every page of this depth
            self._tags[match[0], depth] = tag
        return tag


def _text_of(match: re.Match[str], attributes: dict[str, str], targets: dict[str, str | None]) -> str:
    """The tag with its links to their targets; without one it leads out of the copy, and only its text stays."""
    name, inside = match[2], match[3]
    if None in targets.values():
        return "" if name in VOID else f"<{name}>"
    if not (targets or any(key.startswith(DROPPED_ATTRIBUTES) for key in attributes)):
        return match[0]
    kept = [
        f' {key}="{escape(targets.get(key) or unescape(value))}"'
        if value or f"{key}=" in inside
        else f" {key}"
        for key, value in attributes.items()
        if not key.startswith(DROPPED_ATTRIBUTES)
    ]
    return f"<{name}{''.join(kept)}{'/' if inside.endswith('/') else ''}>"


def _is_dropped(name: str, attributes: dict[str, str]) -> bool:
    if name == "script":
        return KEPT_SCRIPT not in attributes.get("src", "")
    return (
        name in DROPPED
        or not DROPPED_CLASSES.isdisjoint(attributes.get("class", "").split())
        or attributes.get("id") in DROPPED_IDS
        or (name == "meta" and attributes.get("name") == "htmx-config")
    )
