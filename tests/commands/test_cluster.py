"""`barnabas brokers`, `partitions`, `elect` and `reassign` at a broker that is alone."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.served import Served, serving


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


def test_nothing_moves_where_there_is_one_broker(broker: Served, tmp_path: Path) -> None:
    assert broker.run("reassign", "plan").lines == []
    away = broker.run("reassign", "plan", "--without", "1")
    assert (away.code, "1 replicas need 1 brokers, and there are 0" in away.err) == (1, True)
    unknown = broker.run("reassign", "plan", "--to", "4")
    assert (unknown.code, "there is no broker 4; the brokers are 1" in unknown.err) == (1, True)

    row = {"topic": "dogs", "partition": 0, "replicas": [2]}
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"version": 1, "partitions": [row]}))
    unasked = broker.run("reassign", "run", str(file))
    assert (unasked.code, "Give --yes" in unasked.err) == (2, True)
    refused = broker.run("reassign", "run", str(file), "--yes")
    assert (refused.code, "dogs-0" in refused.err) == (1, True)
    assert broker.run("reassign", "status").lines == []
    assert broker.run("reassign", "cancel", "--all", "--yes").code == 0
