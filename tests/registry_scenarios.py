"""What every registry does: each test runs on all implementations."""

from collections.abc import Callable

import pytest

from barnabas.errors import RegistryConflict
from barnabas.ports import Registry, SharedRegistry
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeWrite

Until = Callable[[Callable[[], bool]], None]
"""Return when the condition holds; what is due is delivered meanwhile."""


def nodes_have_versions_and_children(registry: Registry) -> None:
    registry.create("/brokers/topics/dogs", b"1")
    registry.create("/brokers/topics/cats", b"2")
    assert registry.get("/brokers/topics") == (b"", 0)
    assert registry.children("/brokers/topics") == ["cats", "dogs"]
    assert "brokers" in registry.children("/")
    assert registry.set("/brokers/topics/dogs", b"3") == 1
    assert registry.set("/brokers/topics/dogs", b"4", version=1) == 2
    assert registry.set("/config/dogs", b"5") == 0
    assert registry.get("/brokers/topics/dogs") == (b"4", 2)
    assert registry.get("/nothing") is None
    named = [f"/brokers/topics/{name}" for name in ("dogs", "mice", "cats")]
    assert registry.get_all(named) == [(b"4", 2), None, (b"2", 0)]
    assert registry.children("/nothing") == []


def conflicts_change_nothing(registry: Registry) -> None:
    registry.create("/a", b"1")
    for change in (
        lambda: registry.create("/a", b"2"),
        lambda: registry.set("/a", b"2", version=7),
        lambda: registry.set("/b", b"2", version=0),
    ):
        with pytest.raises(RegistryConflict):
            change()
    assert registry.get("/a") == (b"1", 0)
    assert registry.get("/b") is None


def deletion_takes_all_below(registry: Registry) -> None:
    registry.create("/a/b/c", b"1")
    registry.create("/a/bb", b"2")
    registry.delete("/a/b")
    registry.delete("/a/b")
    assert registry.children("/a") == ["bb"]
    assert registry.get("/a/b/c") is None


def many_are_written_and_removed_together(registry: Registry) -> None:
    registry.create("/t/dogs/a", b"1")
    registry.set_all({"/t/dogs": b"2", "/new/cats/b": b"3", "/new/mice": b"4"})
    assert registry.get("/t/dogs") == (b"2", 1)
    assert registry.get("/t/dogs/a") == (b"1", 0)
    assert registry.get("/new/cats") == (b"", 0)
    registry.set_all({"/new/mice": b"5"})
    assert registry.get("/new/mice") == (b"5", 1)
    registry.set_all({})
    registry.delete("/t/dogs", "/nothing", "/new/cats")
    assert registry.children("/t") == []
    assert registry.get("/new/cats/b") is None
    assert registry.children("/new") == ["mice"]
    registry.delete()


def names_and_data_are_what_they_were(registry: Registry) -> None:
    registry.create("/g/hund-ü %2F ~", b"\0\xff")
    assert registry.children("/g") == ["hund-ü %2F ~"]
    assert registry.get("/g/hund-ü %2F ~") == (b"\0\xff", 0)
    registry.set("/g/large", b"x" * 70_000)
    assert registry.get("/g/large") == (b"x" * 70_000, 0)


STORES = (
    nodes_have_versions_and_children,
    conflicts_change_nothing,
    deletion_takes_all_below,
    many_are_written_and_removed_together,
    names_and_data_are_what_they_were,
)

Sessions = Callable[[], SharedRegistry]


def an_ephemeral_node_goes_with_its_session(sessions: Sessions, until: Until) -> None:
    first, second = sessions(), sessions()
    first.create_ephemeral("/owners/dogs/0-0", b"one")
    first.create_ephemeral("/owners/dogs/0-0", b"one")
    assert first.is_mine("/owners/dogs/0-0")
    assert not second.is_mine("/owners/dogs/0-0")
    for data in (b"one", b"two"):
        with pytest.raises(RegistryConflict):
            second.create_ephemeral("/owners/dogs/0-0", data)
    first.close()
    first.close()
    assert second.wait_until_gone("/owners/dogs/0-0", 10)
    assert second.get("/owners/dogs") == (b"", 0)
    second.create_ephemeral("/owners/dogs/0-0", b"two")


def many_nodes_are_made_together_but_where_there_is_one(sessions: Sessions, until: Until) -> None:
    first, second = sessions(), sessions()
    lasting = {f"/topics/{number}/partitions/0": b"%d" % number for number in range(150)}
    first.create("/topics/7/partitions/0", b"other")
    assert first.create_all(lasting, ephemeral=False) == ["/topics/7/partitions/0"]
    found = first.get_all(list(lasting))
    assert [node and node[0] for node in found] == [
        b"other" if path.startswith("/topics/7/") else data for path, data in lasting.items()
    ]
    assert not first.is_mine("/topics/3/partitions/0")
    assert first.create_all({"/ids/1": b"a", "/ids/2": b"b"}, ephemeral=True) == []
    assert second.create_all({"/ids/2": b"b", "/ids/3": b"c"}, ephemeral=True) == ["/ids/2"]
    assert second.create_all({}, ephemeral=True) == []
    assert [first.is_mine(f"/ids/{number}") for number in (1, 2, 3)] == [True, True, False]
    first.close()
    assert second.wait_until_gone("/ids/2", 10)
    assert second.children("/ids") == ["3"]


def changes_are_made_together_or_not_at_all(sessions: Sessions, until: Until) -> None:
    first, second = sessions(), sessions()
    first.create("/epoch", b"1")
    first.create("/t/dogs/partitions/0/state", b"a")
    new = NodeWrite("/t/cats/partitions/0/state", b"b", MUST_BE_NEW)
    mine = NodeWrite("/controller", b"me", MUST_BE_NEW, ephemeral=True)
    for wrong in (
        NodeWrite("/epoch", b"2", 1),
        NodeWrite("/epoch", b"2", MUST_BE_NEW),
        NodeWrite("/nothing", b"2", 0),
    ):
        with pytest.raises(RegistryConflict):
            first.commit([new, mine, wrong])
        with pytest.raises(RegistryConflict):
            first.commit([new, mine], {wrong.path: wrong.version})
    assert first.get("/controller") is None
    assert first.get("/t/cats") is None
    first.commit(
        [
            new,
            mine,
            NodeWrite("/t/dogs", None),
            NodeWrite("/t/mice", None),
            NodeWrite("/epoch", b"2", 0),
            NodeWrite("/epoch", b"3", 1),
        ]
    )
    assert first.get("/epoch") == (b"3", 2)
    assert first.children("/t") == ["cats"]
    assert first.is_mine("/controller")
    with pytest.raises(RegistryConflict):
        second.commit([NodeWrite("/epoch", b"4", ANY_VERSION), mine])
    first.commit([NodeWrite("/epoch", b"4", ANY_VERSION)], {"/t/cats/partitions/0/state": 0})
    first.commit([])
    first.close()
    assert second.wait_until_gone("/controller", 10)
    assert second.get("/epoch") == (b"4", 3)


def parts_are_replaced_each_for_itself(sessions: Sessions, until: Until) -> None:
    registry, other = sessions(), sessions()
    registry.set_all({"/epoch": b"1", "/a": b"", "/b": b"", "/c": b""})
    one, wrong, two = (NodeWrite(path, b"new", 0) for path in ("/a", "/b", "/c"))
    parts = [[one], [two, wrong._replace(version=7)], [one._replace(version=1), wrong]]
    assert registry.replace_each(parts, {"/epoch": 0}) == [True, False, True]
    assert other.get_all(["/a", "/b", "/c"]) == [(b"new", 2), (b"new", 1), (b"", 0)]
    assert registry.replace_each([[two], [two]], {"/epoch": 5}) == [False, False]
    assert other.get("/c") == (b"", 0)
    assert registry.replace_each([]) == []


def a_watch_that_is_ended_tells_nothing(sessions: Sessions, until: Until) -> None:
    watcher, other = sessions(), sessions()
    ended: list[str] = []
    seen: list[object] = []
    end = watcher.watch("/t", lambda: ended.append("ended"))
    # Two changes may be notified once: whoever watches reads what there is then.
    watcher.watch("/t", lambda: seen.append(watcher.get("/t")))
    end()
    other.create("/t", b"0")
    until(lambda: bool(seen))
    other.set("/t", b"1")
    until(lambda: seen[-1] == (b"1", 1))
    assert not ended


def a_lasting_node_is_not_mine(sessions: Sessions, until: Until) -> None:
    session = sessions()
    session.create("/a", b"1")
    assert not session.is_mine("/a")
    assert not session.is_mine("/b")
    with pytest.raises(RegistryConflict):
        session.create_ephemeral("/a", b"1")
    assert not session.wait_until_gone("/a", 0.01)
    session.delete("/a")
    assert session.wait_until_gone("/a", 0.01)


def a_watch_tells_of_data_and_names_again_and_again(sessions: Sessions, until: Until) -> None:
    watcher, other = sessions(), sessions()
    seen: list[tuple[object, list[str]]] = []
    watcher.watch("/t", lambda: seen.append((watcher.get("/t"), watcher.children("/t"))))
    expected: list[tuple[object, list[str]]] = []

    def then(data: bytes, version: int, names: list[str]) -> None:
        expected.append(((data, version), names))
        until(lambda: bool(seen) and seen[-1] == expected[-1])

    other.create("/t", b"0")
    then(b"0", 0, [])
    other.create("/t/one", b"")
    then(b"0", 0, ["one"])
    other.set("/t", b"1")
    then(b"1", 1, ["one"])
    other.create_ephemeral("/t/two", b"")
    then(b"1", 1, ["one", "two"])
    other.close()
    then(b"1", 1, ["one"])
    watcher.delete("/t")
    until(lambda: seen[-1] == (None, []))


def sequential_nodes_have_numbers_that_grow(sessions: Sessions, until: Until) -> None:
    del until
    one, other = sessions(), sessions()
    one.create_sequential("/changes/change_", b"first")
    other.create_sequential("/changes/change_", b"second")
    first, second = one.children("/changes")
    assert one.get(f"/changes/{first}") == (b"first", 0)
    assert one.get(f"/changes/{second}") == (b"second", 0)
    assert len(first) == len("change_") + 10
    one.delete(f"/changes/{second}")
    one.create_sequential("/changes/change_", b"third")
    _, third = one.children("/changes")
    assert int(first[-10:]) < int(second[-10:]) < int(third[-10:])


def what_is_written_after_a_node_was_made_has_a_higher_number(
    sessions: Sessions, until: Until
) -> None:
    del until
    one, paths = sessions(), ["/t/dogs/state", "/t/none"]
    one.set(paths[0], b"a")
    one.create_ephemeral("/ids/1", b"")
    before, missing = one.get_dated(paths)
    assert before is not None
    assert (before[:2], missing) == ((b"a", 0), None)
    assert before[2] < one.created_at("/ids/1")
    one.commit([NodeWrite(paths[0], b"b", 0)])
    after, _ = one.get_dated(paths)
    assert after is not None
    assert after[:2] == (b"b", 1)
    assert after[2] > one.created_at("/ids/1")


SHARED = (
    an_ephemeral_node_goes_with_its_session,
    many_nodes_are_made_together_but_where_there_is_one,
    changes_are_made_together_or_not_at_all,
    parts_are_replaced_each_for_itself,
    a_watch_that_is_ended_tells_nothing,
    a_lasting_node_is_not_mine,
    a_watch_tells_of_data_and_names_again_and_again,
    sequential_nodes_have_numbers_that_grow,
    what_is_written_after_a_node_was_made_has_a_higher_number,
)

Expire = Callable[[SharedRegistry], None]


def a_new_session_notifies_and_ephemeral_nodes_are_gone(
    sessions: Sessions, until: Until, expire: Expire
) -> None:
    session = sessions()
    reported: list[str] = []
    changes: list[int] = []
    session.on_new_session(lambda: reported.append("new session"))
    session.create_ephemeral("/ids/1", b"")
    session.create("/lasting", b"")
    session.watch("/ids", lambda: changes.append(len(changes)))
    expire(session)
    until(lambda: bool(reported) and bool(changes))
    assert session.children("/ids") == []
    assert session.get("/lasting") == (b"", 0)
    # The watch is one of the new session's.
    before = len(changes)
    session.create_ephemeral("/ids/1", b"")
    until(lambda: len(changes) > before)
    assert session.is_mine("/ids/1")
    assert reported == ["new session"]
