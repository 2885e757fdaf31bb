import threading
import time

from tournament.public.cache import VersionedCache


def sized(most: int = 2000) -> VersionedCache[str]:
    return VersionedCache(most, len, name="sized")


def test_a_value_is_made_once_for_each_version_and_one_larger_than_the_cache_is_not_kept():
    shelf, calls = sized(), []

    def render() -> str:
        calls.append("rendered")
        return f"rendering {len(calls)}"

    values = [shelf.read("standings", version, render) for version in "1122"]
    assert values == ["rendering 1", "rendering 1", "rendering 2", "rendering 2"]
    assert len(shelf) == 1
    small = sized(most=10)
    assert small.read("a", "1", lambda: "x" * 100) == "x" * 100
    assert (len(small), small.size) == (0, 0)


def test_the_oldest_goes_when_there_is_no_room():
    shelf = sized(most=2000)
    for name in "abcde":
        shelf.read(name, "1", lambda: "x" * 900)
    assert shelf.size <= 2000
    assert shelf.newest("e") is not None and shelf.newest("a") is None


def test_many_who_ask_at_once_wait_for_one_rendering():
    shelf, calls = sized(), []

    def slow() -> str:
        calls.append("rendered")
        time.sleep(0.05)
        return "page"

    people = [threading.Thread(target=shelf.read, args=("p", "1", slow)) for _ in range(8)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert calls == ["rendered"]


def test_values_of_any_kind_are_counted_and_the_least_used_goes_first():
    shelf: VersionedCache[object] = VersionedCache(most=2, name="shelf")
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
