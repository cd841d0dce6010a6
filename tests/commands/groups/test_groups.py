import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka import ShareConsumer

from barnabas import Consumer, GroupMetadata, Producer
from tests.commands.served import SECONDS, Served, serving

NOTHING_CHANGED = "nothing changed: add --execute to apply\n"


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


def where_it_is(broker: Served, group: str) -> dict[int, tuple[int, int]]:
    """The position and the lag of the group, by partition."""
    printed = json.loads(broker.run("groups", "describe", group, "--json").out)
    rows = printed["partitions"]
    return {row["partition"]: (row["current_offset"], row["lag"]) for row in rows}


def test_a_group_is_described(broker: Served) -> None:
    listed = json.loads(broker.run("groups", "list", "--json").out)
    assert {
        "group": "g",
        "type": "classic",
        "state": "Empty",
        "protocol_type": "consumer",
        "protocol": "",
        "members": 0,
    } in listed
    behind = [line.split("\t") for line in broker.run("groups", "list", "--lag").lines]
    (row,) = (each for each in behind if each[0] == "g")
    assert row == ["g", "classic", "Empty", "consumer", "", "0", "14"]
    assert broker.run("groups", "list", "--state", "Stable").lines == []
    printed = json.loads(broker.run("groups", "describe", "g", "--json").out)
    assert (printed["state"], printed["members"]) == ("Empty", [])
    assert sum(row["lag"] for row in printed["partitions"]) == 14
    piped = broker.run("groups", "describe", "g").lines
    assert [line.split("\t")[:2] for line in piped] == [["dogs", "0"], ["dogs", "1"]]
    assert broker.run("groups", "describe", "g", "--members").lines == []


@pytest.mark.parametrize(
    ("how", "positions"),
    [
        (("-t", "dogs", "--to", "4"), {0: 4, 1: 4}),
        (("-t", "dogs:1", "--by", "99"), {0: 3, 1: 10}),
        (("--all-topics", "--to", "@1"), {0: 0, 1: 0}),
        (("--file", "-"), {0: 2, 1: 10}),
    ],
)
def test_a_reset_is_shown_and_then_done(
    broker: Served, how: tuple[str, ...], positions: dict[int, int]
) -> None:
    assert broker.run("groups", "reset", "r", "-t", "dogs", "--to", "3", "--execute").code == 0
    lines = "\ufeffdogs,0,2\ndogs, 1, 100\n"  # As some editors begin a file.
    shown = broker.run("groups", "reset", "r", *how, "--json", stdin=lines)
    assert where_it_is(broker, "r") == {0: (3, 7), 1: (3, 7)}
    assert shown.err == NOTHING_CHANGED
    new = {row["partition"]: row["new_offset"] for row in json.loads(shown.out)}
    assert new.items() <= positions.items()
    done = broker.run("groups", "reset", "r", *how, "--execute", "--json", stdin=lines)
    assert done.out == shown.out
    assert where_it_is(broker, "r") == {one: (at, 10 - at) for one, at in positions.items()}


def test_what_cannot_be_done_is_an_error(broker: Served) -> None:
    for arguments, code, why in [
        (
            ("describe", "nobody"),
            1,
            "GROUP_ID_NOT_FOUND: Group nobody not found; `barnabas groups list` lists the groups",
        ),
        (("describe", "gg"), 1, "Group gg not found; did you mean g?"),
        (("reset", "gg", "--all-topics", "--to", "1"), 1, "there is no group gg; did you mean g?"),
        (("delete-offsets", "gg", "-t", "dogs", "-y"), 1, "no group gg; did you mean g?"),
        (("delete", "gg", "-y"), 1, "group gg: there is no such group; did you mean g?"),
        (("delete", "nobody", "-y"), 1, "group nobody: there is no such group"),
        (("delete", "g"), 2, "no terminal to ask for confirmation"),
        (("reset", "g", "-t", "dogs"), 2, "one of --to, --by and --file\n"),
        (
            ("reset", "g", "-t", "dogs", "--to", "earliest", "--by", "3"),
            2,
            "one of --to, --by and --file, not --to and --by",
        ),
        (("reset", "g", "--to", "earliest"), 2, "--topic or --all-topics\n"),
        (("reset", "g", "-t", "dogs", "--all-topics", "--to", "1"), 2, "--all-topics, not both"),
        (("reset", "g", "-t", "dogs:x", "--to", "1"), 2, "dogs:x: x is not a number"),
        (("delete-offsets", "g", "-t", "dogs:0,x", "-y"), 2, "dogs:0,x: x is not a number"),
        (("reset", "g", "-t", "cats", "--to", "1"), 1, "there is no topic cats"),
        (("reset", "g", "-t", "dogs:7", "--to", "1"), 1, "dogs has no partition 7"),
        (("reset", "new", "-t", "dogs", "--by", "1"), 1, "dogs:0 has no position"),
        (("reset", "g", "-t", "dogs", "--to", "soon"), 2, "--to soon: expected earliest"),
        (("reset", "g", "-t", "dogs", "--to", "\u0663"), 2, "expected earliest"),
        (("list", "--state", "rubbish"), 2, "'PreparingRebalance'"),
        (("delete-offsets", "g", "-t", "cats", "-y"), 1, "g has no positions in cats"),
    ]:
        done = broker.run("groups", *arguments)
        assert (done.code, why in done.err) == (code, True), (arguments, done.err)
    done = broker.run("groups", "reset", "g", "--file", "-", stdin="dogs,0,1\n\ndogs,0\n")
    assert (done.code, "line 3: expected topic,partition,offset, not" in done.err) == (2, True)
    done = broker.run("groups", "reset", "g", "--file", "-", stdin="dogs,0,1\ndogs,0,1\ndogs,0,2\n")
    assert (done.code, "line 3: dogs:0 gets 2, but an earlier line says 1" in done.err) == (2, True)
    done = broker.run("groups", "reset", "g", "--file", "-", stdin="\n")
    assert (done.code, "--file is empty" in done.err) == (2, True)
    done = broker.run("groups", "reset", "g", "--file", "-", stdin=b"dogs,0,1\n\xff\n")
    assert (done.code, "is not UTF-8 text" in done.err) == (2, True)
    assert "Traceback" not in done.err


def test_a_plan_that_was_exported_is_one_that_is_taken(broker: Served) -> None:
    move = ("groups", "reset", "planned")
    plan = broker.run(*move, "-t", "dogs", "--to", "4", "--export")
    assert plan.lines == ["dogs,0,4", "dogs,1,4"]
    assert broker.run(*move, "--file", "-", "--execute", stdin=plan.out).code == 0
    assert where_it_is(broker, "planned") == {0: (4, 6), 1: (4, 6)}
    kept = broker.run(*move, "--all-topics", "--to", "current", "--export", "--execute")
    assert kept.out == plan.out
    assert broker.run("groups", "delete", "planned", "-y").code == 0


def test_a_group_without_positions_is_described(broker: Served) -> None:
    with Consumer(bootstrap_servers=broker.servers, group_id="idle") as consumer:
        consumer.subscribe(["dogs"])
        while not consumer.assignment():
            consumer.poll(timeout_s=0.1)
        forgets = broker.run("groups", "delete-offsets", "idle", "-t", "hens", "-y")
        assert forgets.err == "barnabas: idle has no positions in hens\n"
        consumer.commit({("dogs", 0): 1})
        forgets = broker.run("groups", "delete-offsets", "idle", "-t", "dogs", "-y")
        assert forgets.err.startswith("barnabas: GROUP_SUBSCRIBED_TO_TOPIC: group idle: ")
        assert forgets.err.endswith("; its members subscribe to that topic: end them first\n")
    share = ShareConsumer({"bootstrap.servers": broker.servers, "group.id": "helpers"})
    try:
        share.subscribe(["dogs"])
        deadline = time.monotonic() + SECONDS
        while not broker.run("groups", "describe", "helpers", "--members").lines:
            assert time.monotonic() < deadline
            share.poll(0.1)
        for arguments in (
            ("delete-offsets", "helpers", "-t", "dogs", "-y"),
            ("reset", "helpers", "--all-topics", "--to", "1"),
        ):
            printed = broker.run("groups", *arguments)
            assert (printed.code, printed.err) == (
                1,
                "barnabas: helpers is Stable with 1 member: end them first\n",
            )
    finally:
        share.close()
    assert broker.run("groups", "delete", "helpers", "-y").lines == ["helpers"]


def test_what_a_partition_does_not_have_is_marked_beside_what_it_gives(broker: Served) -> None:
    shown = broker.run("groups", "reset", "g", "-t", "dogs:1", "--to", "999999")
    assert shown.lines[0].split("\t")[3:] == ["10", "999999"]
    shown = broker.run("groups", "reset", "g", "-t", "dogs:1", "--to", "10")
    assert shown.lines[0].split("\t")[3:] == ["10", ""]


def test_it_is_printed_also_where_the_plan_is_exported(broker: Served) -> None:
    shown = broker.run("groups", "reset", "g", "-t", "dogs", "--to", "999999", "--export")
    assert shown.lines == ["dogs,0,10", "dogs,1,10"]
    assert shown.err.splitlines() == [
        f"barnabas: dogs:{number} has no offset 999999: it continues at 10" for number in (0, 1)
    ]


def test_a_group_that_is_not_there_is_an_error_as_it_may_be_misspelt(broker: Served) -> None:
    move = ("groups", "reset", "gg", "-t", "dogs", "--to", "1")
    shown = broker.run(*move)
    assert shown.err == (
        "barnabas: there is no group gg: --execute would create it; did you mean g?\n"
        + NOTHING_CHANGED
    )
    assert "gg" not in broker.run("groups", "list").out
    done = broker.run(*move, "--execute")
    assert done.err == "barnabas: group gg did not exist: it was created; did you mean g?\n"
    assert broker.run(*move, "--execute").err == ""
    assert broker.run("groups", "delete", "gg", "-y").lines == ["gg"]


def test_what_was_deleted_is_printed_before_what_could_not_be(broker: Served) -> None:
    for name in ("one", "two"):
        broker.run("groups", "reset", name, "-t", "dogs", "--to", "1", "--execute")
    with Consumer(bootstrap_servers=broker.servers, group_id="held") as consumer:
        consumer.subscribe(["dogs"])
        while not consumer.assignment():
            consumer.poll(timeout_s=0.1)
        deleted = broker.run("groups", "delete", "one", "held", "nobody", "-y")
        assert (deleted.code, deleted.lines) == (1, ["one"])
        assert deleted.err.splitlines() == [
            "barnabas: NON_EMPTY_GROUP: held is Stable with 1 member: end them first",
            (
                "barnabas: GROUP_ID_NOT_FOUND: group nobody: there is no such group; "
                "`barnabas groups list` lists the groups"
            ),
        ]
        printed = json.loads(broker.run("groups", "delete", "held", "two", "-y", "--json").out)
    assert [(row["group"], row["deleted"]) for row in printed] == [("held", False), ("two", True)]
    assert "end them first" in printed[0]["error"]


def test_a_property_is_proposed_only_where_it_is_near(broker: Served) -> None:
    far = broker.run("groups", "list", "-X", "mane=x").err
    assert "-X mane: unknown property" in far
    assert "did you mean" not in far
    near = broker.run("groups", "list", "-X", "security.protocl=x").err
    assert "did you mean security.protocol?" in near


def test_a_group_that_is_not_there_yet_can_be_given_positions_and_deleted(broker: Served) -> None:
    assert broker.run("groups", "reset", "new", "-t", "dogs", "--to", "5", "--execute").code == 0
    assert where_it_is(broker, "new") == {0: (5, 5), 1: (5, 5)}
    assert broker.run("groups", "delete-offsets", "new", "-t", "dogs:0", "-y").code == 0
    assert where_it_is(broker, "new") == {1: (5, 5)}
    assert broker.run("groups", "delete", "new", "--yes").code == 0
    assert broker.run("groups", "describe", "new").code == 1


def test_an_open_transaction_that_has_saved_positions_is_to_be_ended(broker: Served) -> None:
    move = ("groups", "reset", "undecided", "-t", "dogs:0", "--to", "1", "--execute")
    assert broker.run(*move).code == 0
    with Producer(bootstrap_servers=broker.servers, transactional_id="open") as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send_offsets_to_transaction({("dogs", 0): 7}, GroupMetadata("undecided"))
        soon = ("-X", "default.api.timeout.ms=10000")
        asked = (move, ("groups", "describe", "undecided"))
        with ThreadPoolExecutor() as at_once:  # Each takes all that time.
            ended = list(at_once.map(lambda arguments: broker.run(*arguments, *soon), asked))
        for printed in ended:
            assert (printed.code, printed.lines) == (1, [])
            assert printed.err.startswith("barnabas: UNSTABLE_OFFSET_COMMIT: group undecided: ")
            assert "; an open transaction has saved it: end the transaction" in printed.err
        producer.commit_transaction()
    assert broker.run(*move).lines == ["dogs\t0\t7\t1\t"]


def test_what_is_undecided_elsewhere_is_in_nobodys_way(broker: Served) -> None:
    move = ("groups", "reset", "half", "-t", "dogs:1", "--to", "1", "--execute")
    forget = ("groups", "delete-offsets", "half", "-y", "-t")
    with Producer(bootstrap_servers=broker.servers, transactional_id="half") as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send_offsets_to_transaction({("dogs", 0): 7}, GroupMetadata("half"))
        assert (broker.run(*move).code, broker.run(*move).lines) == (0, ["dogs\t1\t1\t1\t"])
        lines = broker.run("groups", "reset", "half", "--file", "-", stdin="dogs,1,2\n")
        assert lines.lines == ["dogs\t1\t1\t2\t"]
        assert broker.run(*forget, "dogs:1").code == 0
        printed = broker.run(*forget, "dogs:1")
        assert (printed.code, printed.err) == (1, "barnabas: half has no positions in dogs:1\n")
        # What is undecided itself goes too, and does not come back.
        assert broker.run(*forget, "dogs:0").code == 0
        assert broker.run(*forget, "dogs:0").code == 1
        producer.commit_transaction()
    assert "half" not in broker.run("groups", "list").out
