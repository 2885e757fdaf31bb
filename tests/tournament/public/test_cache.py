"""Rendered parts: the newest mark only, one rendering however many ask, and never too many bytes."""

import gzip
import os
import threading
import time

from tournament.public.cache import FragmentCache, MarkCache


def render_counting(calls: list[str], text: str):
    def render() -> str:
        calls.append(text)
        return text

    return render


def test_a_part_is_rendered_once_for_each_mark():
    shelf, calls = FragmentCache(), []
    for mark in ("1", "1", "2", "2"):
        body = shelf.get("standings", mark, render_counting(calls, f"at {mark}"))
        assert gzip.decompress(body).decode() == f"at {mark}"
    assert calls == ["at 1", "at 2"]
    assert len(shelf) == 1


def test_the_oldest_goes_when_there_is_no_room():
    shelf = FragmentCache(most=2000)
    for name in "abcd":
        shelf.get(name, "1", lambda: os.urandom(500).hex())
    shelf.get("e", "1", lambda: os.urandom(500).hex())
    assert shelf.size <= 2000
    calls: list[str] = []
    shelf.get("e", "1", render_counting(calls, "again"))
    shelf.get("a", "1", render_counting(calls, "again"))
    assert calls == ["again"]


def test_what_is_larger_than_the_shelf_is_answered_and_not_kept():
    shelf = FragmentCache(most=10)
    assert gzip.decompress(shelf.get("a", "1", lambda: "x" * 100)) == b"x" * 100
    assert (len(shelf), shelf.size) == (0, 0)


def test_many_who_ask_at_once_wait_for_one_rendering():
    shelf, calls = FragmentCache(), []

    def slow() -> str:
        calls.append("rendered")
        time.sleep(0.05)
        return "page"

    people = [threading.Thread(target=shelf.get, args=("p", "1", slow)) for _ in range(8)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert calls == ["rendered"]


def test_values_of_any_kind_are_counted_and_the_least_used_goes_first():
    shelf: MarkCache[object] = MarkCache(most=2, name="shelf")
    values = {key: shelf.read(key, "1", object) for key in "ab"}
    assert shelf.read("a", "1", object) is values["a"]
    shelf.read("c", "1", object)
    assert len(shelf) == 2 and shelf.read("a", "1", object) is values["a"]
    assert shelf.read("b", "1", object) is not values["b"]
    newest = shelf.newest("a")  # the use that keeps it
    shelf.read("d", "1", object)
    assert newest is shelf.newest("a") is values["a"] and shelf.newest("b") is None
    shelf.clear()
    assert (len(shelf), shelf.size) == (0, 0)
