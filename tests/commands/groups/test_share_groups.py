"""Share groups are moved and forget topics by the commands that do so with other groups."""

import json
from collections.abc import Iterator

import pytest

from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from tests.commands.served import Served, serving
from tests.lasting_members import LASTING_MEMBERS
from tests.unit.broker.raw_client import RawClient


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    """Ten records in each of two partitions."""
    properties = LASTING_MEMBERS | {"share.coordinator.state.topic.num.partitions": "1"}
    printed = [part for name, value in properties.items() for part in ("--set", f"{name}={value}")]
    with serving("--ephemeral", *printed) as one:
        assert one.run("topics", "create", "dogs", "-p", "2").code == 0
        assert one.run("topics", "create", "cats").code == 0
        for partition in ("0", "1"):
            lines = "".join(f"{number}\n" for number in range(10))
            assert one.run("produce", "dogs", "-p", partition, stdin=lines).code == 0
        yield one


def starts(broker: Served, group: str) -> list[tuple[str, int, int | None]]:
    printed = json.loads(broker.run("groups", "describe", group, "--json").out)
    assert printed["type"] == "share"
    return [
        (row["topic"], row["partition"], row["current_offset"]) for row in printed["partitions"]
    ]


def beat(broker: Served, group: str, epoch: int) -> None:
    given = ShareGroupHeartbeatRequest(
        group_id=group,
        member_id="m",
        member_epoch=epoch,
        subscribed_topic_names=["dogs"] if epoch == 0 else None,
    )
    with RawClient(int(broker.servers.rpartition(":")[2])) as client:
        assert not client.ask(given, 1, ShareGroupHeartbeatResponse).error_code


def test_one_that_is_not_there_is_made_where_an_option_says_so(broker: Served) -> None:
    move = ("groups", "reset", "made", "-t", "dogs", "--to", "4", "--share")
    shown = broker.run(*move)
    assert shown.lines == ["dogs\t0\t\t4\t", "dogs\t1\t\t4\t"]
    assert shown.err.startswith("barnabas: there is no group made: --execute would create it\n")
    assert "made" not in broker.run("groups", "list").out
    done = broker.run(*move, "--execute")
    assert (done.lines, done.err) == (
        shown.lines,
        "barnabas: group made did not exist: it was created\n",
    )
    assert starts(broker, "made") == [("dogs", 0, 4), ("dogs", 1, 4)]


@pytest.mark.parametrize(
    ("how", "rows"),
    [
        (("-t", "dogs:1", "--by", "99"), [(1, 10, 103)]),
        (("--all-topics", "--to", "@1"), [(0, 0, None), (1, 0, None)]),
        (("--file", "-"), [(0, 2, None), (1, 10, 100)]),
    ],
)
def test_it_is_moved_as_other_groups_are(
    broker: Served, how: tuple[str, ...], rows: list[tuple[int, int, int | None]]
) -> None:
    start = ("-t", "dogs", "--to", "4", "--share", "--execute")
    assert broker.run("groups", "reset", "moved", *start).code == 0
    lines = "dogs,0,2\ndogs,1,100\n"
    shown = broker.run("groups", "reset", "moved", *how, "--json", stdin=lines)
    printed = [
        (row["partition"], row["new_offset"], row["clamped_from"]) for row in json.loads(shown.out)
    ]
    assert printed == rows
    assert {row["current_offset"] for row in json.loads(shown.out)} == {4}
    done = broker.run("groups", "reset", "moved", *how, "--json", "--execute", stdin=lines)
    assert (done.code, done.out, done.err) == (0, shown.out, "")
    now = {0: 4, 1: 4} | {number: new for number, new, _ in rows}
    assert starts(broker, "moved") == [("dogs", *each) for each in now.items()]


def test_where_it_has_not_begun_its_own_property_says_where_it_will(broker: Served) -> None:
    beat(broker, "young", 0)
    beat(broker, "young", -1)
    assert starts(broker, "young") == [("dogs", 0, None), ("dogs", 1, None)]
    whole = ("groups", "reset", "young", "--all-topics")
    none = "barnabas: there is nothing to move: young has not started in "
    its_own = ": share.auto.offset.reset decides where it will\n"
    for how, where in [
        (("--all-topics", "--to", "current"), "dogs:0, dogs:1"),
        (("--all-topics", "--by", "1"), "dogs:0, dogs:1"),
        (("-t", "dogs:1", "--to", "current"), "dogs:1"),
        (("-t", "cats", "--to", "current"), "cats:0"),
    ]:
        for execute in ((), ("--execute",)):
            shown = broker.run("groups", "reset", "young", *how, *execute)
            assert (shown.code, shown.out) == (0, "")
            assert shown.err == f"{none}{where}{its_own}"
    assert broker.run(*whole, "--to", "latest").lines == ["dogs\t0\t\t10\t", "dogs\t1\t\t10\t"]
    named = broker.run("groups", "reset", "young", "-t", "dogs:0", "--by", "1")
    assert (named.code, "dogs:0 has no position that --by could move" in named.err) == (1, True)
    moved = broker.run("groups", "reset", "young", "-t", "dogs:0", "--to", "3", "--execute")
    assert moved.lines == ["dogs\t0\t\t3\t"]
    for topics in ("--all-topics", "-tdogs"):
        kept = broker.run("groups", "reset", "young", topics, "--to", "current", "--export")
        assert kept.lines == ["dogs,0,3"]
        assert kept.err == f"barnabas: young has not started in dogs:1{its_own}"


def test_members_are_in_the_way(broker: Served) -> None:
    beat(broker, "held", 0)
    for arguments in (
        ("reset", "held", "-t", "dogs", "--to", "0", "--execute"),
        ("reset", "held", "-t", "dogs", "--to", "0"),
        ("delete-offsets", "held", "-t", "dogs", "-y"),
    ):
        printed = broker.run("groups", *arguments)
        why = "barnabas: held is Stable with 1 member: end them first\n"
        assert (printed.code, printed.out, printed.err) == (1, "", why)
    beat(broker, "held", -1)
    assert broker.run("groups", "reset", "held", "-t", "dogs", "--to", "0", "--execute").code == 0


def test_it_forgets_whole_topics(broker: Served) -> None:
    for topic in ("dogs", "cats"):
        move = ("-t", topic, "--to", "0", "--share", "--execute")
        assert broker.run("groups", "reset", "forgets", *move).code == 0
    for topic, why in [
        (
            "dogs:1",
            "--topic dogs:1: forgets is a share group, which deletes positions of whole topics: ",
        ),
        ("cows", "forgets has no positions in cows\n"),
    ]:
        refused = broker.run("groups", "delete-offsets", "forgets", "-t", topic, "-y")
        assert (refused.code, why in refused.err) == (1, True), refused.err
    gone = broker.run("groups", "delete-offsets", "forgets", "-t", "dogs", "-t", "cows", "-y")
    assert (gone.code, gone.err) == (0, "")
    assert starts(broker, "forgets") == [("cats", 0, 0)]
    assert broker.run("groups", "delete", "forgets", "-y").lines == ["forgets"]


def test_groups_of_other_kinds_are_no_share_groups(broker: Served) -> None:
    move = ("groups", "reset", "plain", "-t", "dogs", "--to", "1", "--execute")
    assert broker.run(*move).code == 0
    printed = broker.run(*move, "--share")
    assert printed.code == 1
    assert printed.err == (
        "barnabas: plain is a classic group, not a share group: leave out --share\n"
    )
