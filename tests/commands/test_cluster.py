"""`barnabas brokers`, `partitions`, `elect` and `reassign`, at a broker that is alone and at three."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.testing import EmbeddedCluster
from tests.commands.served import SECONDS, Done, Served, run, serving


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        assert served.run("topics", "create", "dogs", "-p", "2").code == 0
        assert served.run("produce", "dogs", "-p", "1", stdin="rex\n").code == 0
        yield served


def test_the_broker_and_what_it_has(broker: Served) -> None:
    (row,) = json.loads(broker.run("brokers", "--json").out)
    assert (row["broker"], row["address"], row["controller"]) == (1, broker.servers, "yes")
    assert (row["leaders"], row["replicas"]) == (2, 2)
    assert row["bytes"] > 0


def test_partitions_and_those_in_a_state(broker: Served) -> None:
    assert broker.run("partitions").lines == ["dogs\t0\t1\t1\t1\t", "dogs\t1\t1\t1\t1\t"]
    internal = broker.run("partitions", "--internal").lines
    assert {line.split("\t")[0] for line in internal} >= {"dogs"}
    states = ("--only", "offline", "--only", "under-replicated", "--only", "moving")
    assert broker.run("partitions", *states).lines == []
    assert broker.run("topics", "config", "dogs", "--set", "min.insync.replicas=2").code == 0
    under = broker.run("partitions", "dogs", "--only", "under-min-isr").lines
    assert [line.split("\t")[-1] for line in under] == ["under min ISR"] * 2


def test_an_election_changes_nothing_where_the_first_replica_leads(broker: Served) -> None:
    assert broker.run("elect", "--all").lines == []
    assert broker.run("elect", "dogs:1").lines == []
    assert broker.run("elect").code == 2
    missing = broker.run("elect", "cats")
    assert (missing.code, "there is no topic cats" in missing.err) == (1, True)


def test_a_partition_that_is_not_there_is_named_with_those_that_are(broker: Served) -> None:
    assert broker.run("partitions", "dogs:1").lines[0].startswith("dogs\t1\t")
    for command in (("partitions",), ("elect",), ("reassign", "cancel", "--yes")):
        missing = broker.run(*command, "dogs:9")
        assert missing.code == 1
        assert missing.err == (
            "barnabas: UNKNOWN_TOPIC_OR_PARTITION: there is no partition dogs:9; dogs has "
            "partitions 0 to 1\n"
        )


def test_nothing_moves_where_there_is_one_broker(broker: Served, tmp_path: Path) -> None:
    assert broker.run("reassign", "plan").lines == []
    away = broker.run("reassign", "plan", "--without", "1")
    assert (away.code, "has 1 replica, and only 0 brokers may have" in away.err) == (1, True)
    unknown = broker.run("reassign", "plan", "--to", "4")
    assert (unknown.code, "there is no broker 4; the only broker is 1" in unknown.err) == (1, True)

    file = tmp_path / "plan.json"
    for replicas in ([2], [1]):
        row = {"topic": "dogs", "partition": 0, "replicas": replicas}
        file.write_text(json.dumps({"version": 1, "partitions": [row]}))
        unasked = broker.run("reassign", "run", str(file))
        asked = (2, "Give --yes") if replicas == [1] else (1, "there is no broker 2")
        assert (unasked.code, asked[1] in unasked.err) == (asked[0], True), unasked.err
    assert broker.run("reassign", "status").lines == []
    assert broker.run("reassign", "cancel", "--all", "--yes").code == 0


@pytest.fixture
def three() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(3, {"auto.leader.rebalance.enable": "false"}) as cluster:
        with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("dogs", assignments=[[1, 2], [2, 1]])])
        with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
            for index in (0, 1):
                producer.send("dogs", bytes(1000), partition=index)
        yield cluster


def at_three(cluster: EmbeddedCluster, *arguments: str) -> Done:
    done = run(*arguments, servers=cluster.bootstrap_servers)
    assert done.code == 0, done.err
    return done


def test_replicas_move_to_another_broker_and_back(three: EmbeddedCluster, tmp_path: Path) -> None:
    assert [line.split("\t")[0] for line in at_three(three, "brokers").lines] == ["1", "2", "3"]
    plan, undo = str(tmp_path / "plan.json"), str(tmp_path / "undo.json")
    planned = at_three(three, "reassign", "plan", "dogs", "--without", "2", "-o", plan)
    moves = [line.split("\t") for line in planned.lines]
    assert [move[:4] for move in moves] == [
        ["dogs", "0", "1,2", "1,3"],
        ["dogs", "1", "2,1", "1,3"],
    ]
    assert all(int(move[4]) > 1000 for move in moves)

    moved = at_three(three, "reassign", "run", plan, "--undo", undo, "--yes")
    assert [line.split("\t")[3] for line in moved.lines] == ["1,3", "1,3"]
    assert sorted(three.in_sync("dogs", 1)) == [1, 3]
    assert at_three(three, "reassign", "status").lines == []
    # Without waiting, the output is what was begun.
    begun = at_three(three, "reassign", "run", plan, "--yes", "--no-wait", "--json")
    columns = ("topic", "partition", "replicas", "new_replicas")
    assert [tuple(move) for move in json.loads(begun.out)] == [columns] * 2
    # The way back is never written over.
    again = ("reassign", "run", plan, "--undo", undo, "--yes")
    refused = run(*again, servers=three.bootstrap_servers)
    assert (refused.code, "it exists, and may be the way back" in refused.err) == (1, True)
    at_three(three, "reassign", "run", undo, "--yes")
    assert sorted(three.in_sync("dogs", 1)) == [1, 2]


def test_a_move_to_a_broker_that_is_gone_is_refused(three: EmbeddedCluster, tmp_path: Path) -> None:
    three.stop(3)
    row = {"topic": "dogs", "partition": 0, "replicas": [1, 3]}
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"version": 1, "partitions": [row]}))
    begun = run("reassign", "run", str(file), "--yes", "--no-wait", servers=three.bootstrap_servers)
    assert (begun.code, "no broker 3; the brokers are 1, 2" in begun.err) == (1, True)
    assert at_three(three, "reassign", "status").lines == []


def until(happened: Callable[[], bool]) -> None:
    """Brokers hear of a change one after the other."""
    deadline = monotonic() + SECONDS
    while not happened():
        assert monotonic() < deadline
        sleep(0.05)


def test_the_first_replica_leads_again(three: EmbeddedCluster) -> None:
    def others() -> list[str]:
        return at_three(three, "partitions", "dogs", "--only", "not-preferred").lines

    three.stop(2)
    until(lambda: others() == ["dogs\t1\t1\t2,1\t1\tunder-replicated, not preferred"])
    three.start(2)
    until(lambda: sorted(three.in_sync("dogs", 1)) == [1, 2])
    assert at_three(three, "elect", "--all").lines == ["dogs\t1\t2"]
    until(lambda: others() == [])
