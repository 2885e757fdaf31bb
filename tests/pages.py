"""A page as its reader meets it: its words, its links, and its forms with what they would send."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bs4 import BeautifulSoup, Tag
from django.http import HttpResponse
from django.test import Client

# What stands within a line of text; at any other element a new word begins.
WITHIN_A_LINE = set("a abbr b bdi code em i kbd mark q s small span strong sub sup time u var".split())
NOT_READ = ("script", "style", "template")


def words_in(element: Tag) -> str:
    parts: list[str] = []

    def read(tag: Tag) -> None:
        for child in tag.children:
            if isinstance(child, Tag):
                if child.name in NOT_READ:
                    continue
                edge = "" if child.name in WITHIN_A_LINE else " "
                parts.append(edge)
                read(child)
                parts.append(edge)
            elif type(child).__name__ == "NavigableString":
                parts.append(child)

    read(element)
    return " ".join("".join(parts).split())


@dataclass
class Form:
    """A form as it stands on the page. `buttons`: those that send a field of their own; `boxes`: those not ticked."""

    action: str
    method: str
    fields: dict[str, list[str]]
    buttons: list[tuple[str, str]]
    boxes: set[str]
    tag: Tag

    def __getitem__(self, name: str) -> str:
        (value,) = self.fields[name]
        return value


class Page:
    def __init__(self, answer: HttpResponse | str) -> None:
        self.answer = answer
        html = answer if isinstance(answer, str) else answer.content.decode()
        self.soup = BeautifulSoup(html, "html.parser")

    def __repr__(self) -> str:
        return f"<Page: {self.words}>"

    def __contains__(self, words: str) -> bool:
        return words in self.words

    @property
    def status(self) -> int:
        return self.answer.status_code  # type: ignore[union-attr]

    @cached_property
    def words(self) -> str:
        return words_in(self.soup)

    def all(self, css: str) -> list[str]:
        return [words_in(element) for element in self.soup.select(css)]

    def one(self, css: str) -> Tag:
        (element,) = self.soup.select(css)
        return element

    def link(self, words: str) -> str:
        links = [link for link in self.soup.select("a[href]") if words_in(link) == words]
        assert links, (words, self.all("a[href]"))
        return str(links[0]["href"])

    @cached_property
    def forms(self) -> list[Form]:
        return [_form(tag, self.answer) for tag in self.soup.select("form")]

    def form(self, button: str) -> Form:
        """The form that the button with these words sends, with what that button adds."""
        buttons = [tag for tag in self.soup.select("button") if words_in(tag) == button]
        assert buttons, (button, self.all("button"))
        pressed = buttons[0]
        owner = (
            self.one(f'form[id="{pressed["form"]}"]') if pressed.get("form") else pressed.find_parent("form")
        )
        form = next(form for form in self.forms if form.tag is owner)
        more = {str(pressed["name"]): [str(pressed.get("value", ""))]} if pressed.get("name") else {}
        return Form(
            str(pressed.get("formaction") or form.action),
            form.method,
            {**form.fields, **more},
            form.buttons,
            form.boxes,
            form.tag,
        )


def _form(form: Tag, answer: HttpResponse | str) -> Form:
    fields: dict[str, list[str]] = {}
    boxes: set[str] = set()
    beside = form.find_parents()[-1].select(f'[form="{form["id"]}"][name]') if form.get("id") else []
    for tag in [*form.select("[name]:not([disabled])"), *beside]:
        name, kind = str(tag["name"]), str(tag.get("type", "text"))
        if tag.name == "select":
            options = tag.select("option")
            chosen = [option for option in options if option.has_attr("selected")]
            chosen = chosen or ([] if tag.has_attr("multiple") else options[:1])
            fields.setdefault(name, []).extend(str(each.get("value", words_in(each))) for each in chosen)
        elif tag.name == "textarea":
            fields.setdefault(name, []).append(tag.get_text().removeprefix("\n"))
        elif tag.name == "input" and kind in ("checkbox", "radio"):
            if tag.has_attr("checked"):
                fields.setdefault(name, []).append(str(tag.get("value", "on")))
            else:
                boxes.add(name)
        elif tag.name == "input" and kind not in ("file", "submit", "image"):
            fields.setdefault(name, []).append(str(tag.get("value", "")))
    named = [(str(tag["name"]), str(tag.get("value", ""))) for tag in form.select("button[name]")]
    here = "" if isinstance(answer, str) else answer.request["PATH_INFO"]  # type: ignore[attr-defined]
    return Form(
        str(form.get("action") or here), str(form.get("method", "get")).lower(), fields, named, boxes, form
    )


def page(client: Client, address: str, **query: Any) -> Page:
    """The page at an address, redirects followed; it must be one."""
    answer = client.get(address, query, follow=True)
    assert answer.status_code == 200, (address, answer.status_code)
    return Page(answer)


def press(client: Client, shown: Page, button: str, **typed: Any) -> Page:
    """Press a button of a page after typing these fields, as a browser without scripts does, and follow it."""
    form = shown.form(button)
    send = client.post if form.method == "post" else client.get
    return Page(send(form.action, {**form.fields, **typed}, follow=True))
