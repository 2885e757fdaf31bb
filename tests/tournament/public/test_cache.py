"""Rendered parts: the newest mark only, one rendering however many ask, and never too many bytes."""

import gzip
import os
import threading
import time

from tournament.public.cache import FragmentCache, MarkCache


def test_a_part_is_rendered_once_for_each_mark_and_what_is_larger_than_the_shelf_is_not_kept():
    shelf, calls = FragmentCache(), []

    def render() -> str:
        calls.append("rendered")
        return f"rendering {len(calls)}"

    bodies = [gzip.decompress(shelf.get("standings", mark, render)).decode() for mark in "1122"]
    assert bodies == ["rendering 1", "rendering 1", "rendering 2", "rendering 2"]
    assert len(shelf) == 1
    small = FragmentCache(most=10)
    assert gzip.decompress(small.get("a", "1", lambda: "x" * 100)) == b"x" * 100
    assert (len(small), small.size) == (0, 0)


def test_the_oldest_goes_when_there_is_no_room():
    shelf = FragmentCache(most=2000)
    for name in "abcde":
        shelf.get(name, "1", lambda: os.urandom(500).hex())
    assert shelf.size <= 2000
    assert shelf.newest("e") is not None and shelf.newest("a") is None


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
