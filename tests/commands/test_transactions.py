import json
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.commands.served import Served, serving
from tests.unit.broker.raw_client import RawClient

SECONDS = 30


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    """Records of old transactions are taken without a question, so that one can hang."""
    trusting = "transaction.partition.verification.enable=false"
    with serving("--ephemeral", "--set", trusting) as served:
        assert served.run("topics", "create", "dogs").code == 0
        assert served.run("topics", "create", "cats").code == 0
        assert served.run("topics", "create", "hens").code == 0
        yield served


def begin(broker: Served, name: str, topic: str) -> Producer:
    """A producer with a transaction that is open."""
    producer = Producer(
        {
            "bootstrap.servers": broker.servers,
            "transactional.id": name,
            "transaction.timeout.ms": 600_000,
        }
    )
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"rex", partition=0)
    producer.flush(SECONDS)
    return producer


def test_what_has_ended_is_not_running(broker: Served) -> None:
    assert broker.run("topics", "create", "ducks").code == 0
    begin(broker, "done", "ducks").commit_transaction(SECONDS)
    producer = begin(broker, "busy", "ducks")
    (line,) = broker.run("transactions", "list", "--running", "0").lines
    assert line.split("\t")[::2] == ["busy", "Ongoing"]
    ended = broker.run("transactions", "list", "--running", "0", "--state", "CompleteCommit")
    assert [line.split("\t")[0] for line in ended.lines] == ["done"]
    producer.abort_transaction(SECONDS)


def test_what_is_open_is_printed_and_aborted(broker: Served) -> None:
    producer = begin(broker, "kennel", "dogs")
    listed = json.loads(broker.run("transactions", "list", "--state", "Ongoing", "--json").out)
    assert [row["transactional_id"] for row in listed] == ["kennel"]
    (reported,) = json.loads(broker.run("transactions", "describe", "kennel", "--json").out)
    assert (reported["state"], reported["producer_epoch"]) == ("Ongoing", 0)
    assert reported["partitions"] == [{"topic": "dogs", "partition": 0}]
    (line,) = broker.run("transactions", "describe", "kennel").lines
    assert line.split("\t")[6:] == [str(reported["started_ms"]), "dogs:0"]
    assert len(broker.run("transactions", "list", "--state", "ongoing").lines) == 1
    none = broker.run("transactions", "find-hanging", "--idle", "0")
    assert none.lines == []
    assert none.err == (
        "barnabas: no transaction hangs whose producer has been silent for 0 minutes; "
        "1 transaction is open in order: `barnabas transactions list --state Ongoing`\n"
    )
    misspelt = broker.run("transactions", "describe", "kenel")
    assert (misspelt.code, "kenel: it is not known; did you mean kennel?" in misspelt.err) == (
        1,
        True,
    )
    assert "did you mean dogs?" in broker.run("transactions", "find-hanging", "-t", "dgs").err
    assert broker.run("transactions", "abort", "--transactional-id", "kennel").code == 0
    assert broker.run("transactions", "list", "--state", "Ongoing").lines == []
    producer.purge()
    aborted = broker.run("transactions", "describe", "kennel", "--json").out
    again = broker.run("transactions", "abort", "--transactional-id", "kennel")
    assert (again.code, "kennel has no open transaction" in again.err) == (1, True)
    assert broker.run("transactions", "describe", "kennel", "--json").out == aborted


def test_a_producer_that_has_nothing_open_is_not_fenced(broker: Served) -> None:
    producer = begin(broker, "healthy", "dogs")
    producer.commit_transaction(SECONDS)
    refused = broker.run("transactions", "abort", "--transactional-id", "healthy")
    assert (refused.code, refused.err) == (
        1,
        "barnabas: healthy has no open transaction to abort: it is CompleteCommit\n",
    )
    contradicting = ("abort", "dogs:0", "--transactional-id", "healthy")
    assert broker.run("transactions", *contradicting).code == 2
    producer.begin_transaction()
    producer.produce("dogs", b"max", partition=0)
    producer.commit_transaction(SECONDS)


def hang(broker: Served, topic: str, producer_id: int) -> None:
    """Begin a transaction that no coordinator knows of."""
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(1, None, b"of nobody")
    batch = builder.build(producer_id, 3, 0, transactional=True)
    part = PartitionProduceData(index=0, records=batch)
    request = ProduceRequest(
        transactional_id="nobody",
        acks=1,
        timeout_ms=1000,
        topic_data=[TopicProduceData(name=topic, partition_data=[part])],
    )
    with RawClient(int(broker.servers.rpartition(":")[2])) as client:
        client.ask(request, 9, ProduceResponse)


def test_one_place_is_aborted_by_its_offset(broker: Served) -> None:
    hang(broker, "hens", 4712)
    refused = broker.run("transactions", "abort", "hens:0", "2")
    assert refused.code != 0
    assert "no open transaction of hens:0 begins at 2; open there: 0 (" in refused.err
    assert broker.run("transactions", "abort", "hens-0", "0").code == 0
    assert "; none is open there\n" in broker.run("transactions", "abort", "hens:0", "0").err
    alone = broker.run("transactions", "abort", "hens:0")
    assert (alone.code, "find-hanging` prints" in alone.err) == (2, True)
    assert broker.run("transactions", "abort", "hens", "0").code == 2


def test_what_a_coordinator_knows_of_is_not_aborted_in_one_place_alone(broker: Served) -> None:
    assert broker.run("topics", "create", "pups").code == 0
    producer = begin(broker, "second", "pups")
    refused = broker.run("transactions", "abort", "pups:0", "0")
    assert refused.code == 1
    assert "does not hang: it belongs to second, which `barnabas" in refused.err
    producer.commit_transaction(SECONDS)
    committed = ("-X", "isolation.level=read_committed", "--from-beginning", "--exit")
    assert broker.run("consume", "pups", *committed).lines == ["rex"]


def test_a_state_is_one_that_there_is(broker: Served) -> None:
    refused = broker.run("transactions", "list", "--state", "Ongoin")
    assert refused.code == 2
    assert "'Ongoing', 'PrepareCommit'" in refused.err
    assert "preparecommit" in broker.run("transactions", "list", "--help").out.lower()


def test_what_is_not_there_is_not_aborted_and_that_is_printed_at_once(broker: Served) -> None:
    for place, why in (("dogs:9", "dogs has no partition 9"), ("nobody:0", "no topic nobody")):
        refused = broker.run("transactions", "abort", place, "0")
        assert refused.code == 1
        assert why in refused.err
    refused = broker.run("transactions", "abort", "--transactional-id", "typo")
    assert refused.code == 1
    assert "typo" in refused.err
    assert "typo" not in broker.run("transactions", "list").out


def test_what_hangs_is_found_and_ended(broker: Served) -> None:
    hang(broker, "cats", 4711)
    (found,) = json.loads(broker.run("transactions", "find-hanging", "--json").out)
    place = (found["transactional_id"], found["producer_id"], found["producer_epoch"])
    assert place == (None, 4711, 3)
    where, start = found["partition"], str(found["start_offset"])
    assert (where, start) == ("cats:0", "0")
    assert broker.run("transactions", "abort", where, start).code == 0
    none = broker.run("transactions", "find-hanging")
    assert none.lines == []
    assert "no transaction hangs" in none.err
