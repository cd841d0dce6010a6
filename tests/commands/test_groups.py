import json
from collections.abc import Iterator

import pytest

from tests.commands.served import Served, serving


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    """Ten records in each of two partitions; the group `g` has read six, and has no members."""
    with serving("--ephemeral", "--set", "group.initial.rebalance.delay.ms=0") as served:
        assert served.run("topics", "create", "dogs", "-p", "2").code == 0
        for partition in ("0", "1"):
            lines = "".join(f"{one}\n" for one in range(10))
            assert served.run("produce", "dogs", "-p", partition, stdin=lines).code == 0
        read = served.run("consume", "dogs", "--group", "g", "--from-beginning", "-c", "6")
        assert len(read.lines) == 6
        yield served


def where_it_is(broker: Served, group: str = "g") -> dict[int, tuple[int, int]]:
    """The position and the lag of the group, by partition."""
    told = json.loads(broker.run("groups", "describe", group, "--json").out)
    rows = told["partitions"]
    return {row["partition"]: (row["current_offset"], row["lag"]) for row in rows}


def test_a_group_is_told_of(broker: Served) -> None:
    listed = json.loads(broker.run("groups", "list", "--json").out)
    assert {
        "group": "g",
        "type": "classic",
        "state": "Empty",
        "protocol_type": "consumer",
    } in listed
    assert broker.run("groups", "list", "--state", "Stable").lines == []
    told = json.loads(broker.run("groups", "describe", "g", "--json").out)
    assert (told["state"], told["members"]) == ("Empty", [])
    assert sum(row["lag"] for row in told["partitions"]) == 14
    piped = broker.run("groups", "describe", "g").lines
    assert [line.split("\t")[:2] for line in piped] == [["dogs", "0"], ["dogs", "1"]]
    assert broker.run("groups", "describe", "g", "--members").lines == []


@pytest.mark.parametrize(
    ("how", "positions"),
    [
        (("-t", "dogs", "--to", "4"), {0: 4, 1: 4}),
        (("-t", "dogs:1", "--by", "99"), {0: 4, 1: 10}),
        (("--all-topics", "--to", "@1"), {0: 0, 1: 0}),
        (("--file", "-"), {0: 2, 1: 10}),
    ],
)
def test_a_reset_is_shown_and_then_done(
    broker: Served, how: tuple[str, ...], positions: dict[int, int]
) -> None:
    was = where_it_is(broker)
    lines = "\ufeffdogs,0,2\ndogs, 1, 100\n"  # As some editors begin a file.
    shown = broker.run("groups", "reset", "g", *how, "--json", stdin=lines)
    assert where_it_is(broker) == was
    new = {row["partition"]: row["new_offset"] for row in json.loads(shown.out)}
    assert new.items() <= positions.items()
    done = broker.run("groups", "reset", "g", *how, "--execute", "--json", stdin=lines)
    assert done.out == shown.out
    assert where_it_is(broker) == {one: (at, 10 - at) for one, at in positions.items()}


def test_what_cannot_be_done_is_said(broker: Served) -> None:
    for arguments, code, why in [
        (
            ("describe", "nobody"),
            1,
            "GROUP_ID_NOT_FOUND: Group nobody not found; `barnabas groups list` shows what there is",
        ),
        (("describe", "gg"), 1, "Group gg not found; is g meant?"),
        (("reset", "gg", "--all-topics", "--to", "1"), 1, "gg has no positions; is g meant?"),
        (("delete-offsets", "gg", "-t", "dogs", "-y"), 1, "in dogs; is g meant?"),
        (("delete", "gg", "-y"), 1, "group gg: there is no such group; is g meant?"),
        (("delete", "nobody", "-y"), 1, "group nobody: there is no such group"),
        (("delete", "g"), 2, "nobody is here to be asked"),
        (("reset", "g", "-t", "dogs"), 2, "one of --to, --by and --file"),
        (("reset", "g", "--to", "earliest"), 2, "--topic or --all-topics"),
        (("reset", "g", "-t", "cats", "--to", "1"), 1, "there is no topic cats"),
        (("reset", "g", "-t", "dogs:7", "--to", "1"), 1, "dogs has no partition 7"),
        (("reset", "new", "-t", "dogs", "--by", "1"), 1, "dogs-0 has no position"),
        (("reset", "g", "-t", "dogs", "--to", "soon"), 2, "--to soon: it must be earliest"),
        (("reset", "g", "-t", "dogs", "--to", "\u0663"), 2, "it must be earliest"),
        (("list", "--state", "rubbish"), 2, "preparingrebalance"),
        (("delete-offsets", "g", "-t", "cats", "-y"), 1, "g has no positions in cats"),
    ]:
        done = broker.run("groups", *arguments)
        assert (done.code, why in done.err) == (code, True), (arguments, done.err)
    done = broker.run("groups", "reset", "g", "--file", "-", stdin="dogs,0\n")
    assert (done.code, "a line is topic,partition,offset" in done.err) == (2, True)


def test_a_group_that_is_not_there_yet_can_be_given_positions_and_deleted(broker: Served) -> None:
    assert broker.run("groups", "reset", "new", "-t", "dogs", "--to", "5", "--execute").code == 0
    assert where_it_is(broker, "new") == {0: (5, 5), 1: (5, 5)}
    assert broker.run("groups", "delete-offsets", "new", "-t", "dogs:0", "-y").code == 0
    assert where_it_is(broker, "new") == {1: (5, 5)}
    assert broker.run("groups", "delete", "new", "--yes").code == 0
    assert broker.run("groups", "describe", "new").code == 1
