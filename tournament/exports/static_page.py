"""One page of a static copy: the page as it was, without what only a server can do."""

from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

VOID = set("area base br col embed hr img input link meta source track wbr".split())
DROPPED = {"form", "button"}
DROPPED_CLASSES = {"hall", "live-on", "live-off", "announcement", "asks"}  # asks: only a server answers
DROPPED_IDS = {"problem", "announce", "offline"}
DROPPED_ATTRIBUTES = ("hx-", "data-poll", "data-v", "data-announce", "data-notice", "data-until", "data-done")
KEPT_SCRIPT = "theme"  # light and dark as the device is set


class StaticPage(HTMLParser):
    """Rewrites a page. `link` makes a link relative, or returns None if it leads out of the copy; `note` is added."""

    def __init__(self, link: Callable[[str], str | None], note: str):
        super().__init__(convert_charrefs=False)
        self.link = link
        self.note = note
        self.out: list[str] = []
        self._within: list[str] = []  # open elements of what is being left out

    def rewrite(self, page: str) -> str:
        """The page as it stands in the copy."""
        self.feed(page)
        self.close()
        return "".join(self.out)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._within or self._is_dropped(tag, dict(attrs)):
            if tag not in VOID:
                self._within.append(tag)
            return
        links = {name: self.link(value) for name, value in attrs if name in ("href", "src") and value}
        if None in links.values():  # it leads out of the copy: only its text stays
            if tag in VOID:
                return
            attrs, links = [], {}
        self.out.append(f"<{tag}{''.join(attribute(name, links.get(name, value)) for name, value in attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        if self._within:
            if tag in self._within:
                while self._within.pop() != tag:
                    pass
            return
        if tag == "footer":
            self.out.append(f"<p>{escape(self.note)}</p>")
        self.out.append(f"</{tag}>")

    def _is_dropped(self, tag: str, attrs: dict[str, str | None]) -> bool:
        classes = set((attrs.get("class") or "").split())
        if tag == "script":
            return KEPT_SCRIPT not in (attrs.get("src") or "")
        return (
            tag in DROPPED
            or bool(classes & DROPPED_CLASSES)
            or attrs.get("id") in DROPPED_IDS
            or (tag == "meta" and attrs.get("name") == "htmx-config")
        )

    def handle_data(self, data: str) -> None:
        self._keep(data)

    def handle_entityref(self, name: str) -> None:
        self._keep(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._keep(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        self._keep(f"<!{decl}>")

    def _keep(self, text: str) -> None:
        if not self._within:
            self.out.append(text)


def attribute(name: str, value: str | None) -> str:
    """An attribute as HTML; "" for one that needs a server."""
    if name.startswith(DROPPED_ATTRIBUTES):
        return ""
    return f" {name}" if value is None else f' {name}="{escape(value)}"'
