"""Streams groups (KIP-1071): an application of Kafka Streams 4.3, and Kafka's own tool about it."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas.protocol.streams_group_heartbeat import Endpoint, KeyValue
from tests.commands.served import serving
from tests.interop.clients.confluent import consumer_settings
from tests.interop.differential.group_apis.streaming import Instance, internal, part
from tests.interop.differential.talk import Talk
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.kafka_tools import run_tool
from tests.interop.peers.streams_app import Doing, StreamsApp

pytestmark = [pytest.mark.interop, pytest.mark.java]

PARTITIONS = 4
TASKS = frozenset(f"{part}_{index}" for part in range(2) for index in range(PARTITIONS))
"""Subtopology 0 reads words and writes them by their key, subtopology 1 counts."""

QUICK = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.heartbeat.interval.ms": "200",
    "group.streams.min.heartbeat.interval.ms": "200",
    "group.streams.session.timeout.ms": "10000",
    "group.streams.min.session.timeout.ms": "10000",
    "group.streams.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
}
EXACTLY_ONCE = {"processing.guarantee": "exactly_once_v2"}
APP = "of-both"
_ONE_RUN = re.compile(r"(?<=\[)[\d,]+(?=\])|\S+:\d+|\b\d+\b|\S*-\S{4}-\S*|[\w-]{22}")
"""Ids, addresses, epochs, and which task is whose."""
_UNLIKE = re.compile(
    r'"(metadataHash|assignmentTimestamp)":-?\d+|,"lastAssignmentConfigs":\[[^]]*\]'
)
"""The configs are gone again in the Kafka after 4.3."""
ZONE = KeyValue(key="zone", value="z")

COMMAND = ("streams.StreamsGroupCommand", "--bootstrap-server")


@pytest.fixture(scope="module")
def ours() -> Iterator[OurBroker]:
    with OurBroker(properties=QUICK) as broker:
        yield broker


def make(address: str, topics: tuple[str, str]) -> None:
    admin = AdminClient({"bootstrap.servers": address})
    for future in admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in topics]).values():
        future.result(30)


def new_topics(broker: OurBroker) -> tuple[str, str]:
    """A topic to read and one to write."""
    listed = AdminClient({"bootstrap.servers": broker.bootstrap_servers}).list_topics(timeout=30)
    number = sum(name.startswith("words-") for name in listed.topics)
    names = f"words-{number}", f"counts-{number}"
    make(broker.bootstrap_servers, names)
    return names


def write(address: str, topic: str, words: str) -> None:
    producer = Producer({"bootstrap.servers": address})
    for index, word in enumerate(words.split()):
        producer.produce(topic, word, partition=index % PARTITIONS)
    assert producer.flush(30) == 0


def counted(address: str, topic: str, total: int, *, are_all: bool = True) -> dict[str, int]:
    """The last count of each word when `total` counts were read; each comes once, in its order."""
    consumer = Consumer(consumer_settings(address) | {"isolation.level": "read_committed"})
    consumer.assign([TopicPartition(topic, one, 0) for one in range(PARTITIONS)])
    counts: dict[str, int] = {}
    while sum(counts.values()) < total:
        (message,) = consumer.consume(1, 30) or (None,)
        assert message is not None, f"only {counts} came"
        assert message.error() is None
        key, value = message.key(), message.value()
        assert key is not None
        assert value is not None
        word = key.decode()
        counts[word] = counts.get(word, 0) + 1
        assert int(value) == counts[word], f"{word}: {int(value)} behind {counts[word] - 1}"
    if are_all:
        assert consumer.poll(0.5) is None, "a word was counted twice"
    consumer.close()
    return counts


def runs_all(doing: Doing) -> bool:
    return doing.state == "RUNNING" and doing.active == TASKS


def groups(address: str, *arguments: str) -> list[list[str]]:
    """What `barnabas groups` prints, field by field."""
    command = [sys.executable, "-m", "barnabas", "groups", *arguments, "-b", address]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_an_application_counts_each_word(ours: OurBroker) -> None:
    topics, address = new_topics(ours), ours.bootstrap_servers
    write(address, topics[0], "a b a c a b")
    with StreamsApp(address, f"of-{topics[0]}", topics) as only:
        only.wait(runs_all)
        assert counted(address, topics[1], 6) == {"a": 3, "b": 2, "c": 1}


@pytest.mark.long
def test_our_command_shows_moves_and_deletes(ours: OurBroker) -> None:
    topics, address = new_topics(ours), ours.bootstrap_servers
    group = f"of-{topics[0]}"
    with StreamsApp(address, group, topics) as only:
        only.wait(runs_all)
        ((_, _, _, _, partitions),) = groups(address, "describe", group, "--members")
    between = f"{group}-counts-repartition"
    assert partitions.split(",") == [
        f"{topic}-{one}" for topic in (between, topics[0]) for one in range(PARTITIONS)
    ]
    assert [group, "streams", "Empty", "streams"] in [row[:4] for row in groups(address, "list")]
    place = "-t", topics[0], "--to", "latest", "--execute"
    assert [row[3] for row in groups(address, "reset", group, *place)] == ["0"] * PARTITIONS
    groups(address, "delete", group, "--yes")
    assert group not in [row[0] for row in groups(address, "list")]


@pytest.mark.long
def test_each_word_counts_once_though_an_instance_is_killed(ours: OurBroker) -> None:
    topics, address = new_topics(ours), ours.bootstrap_servers
    group = f"of-{topics[0]}"
    write(address, topics[0], "a b a c a b")
    with StreamsApp(address, group, topics, EXACTLY_ONCE) as first:
        first.wait(runs_all)
        assert counted(address, topics[1], 6) == {"a": 3, "b": 2, "c": 1}
        with StreamsApp(address, group, topics, EXACTLY_ONCE) as second:
            shared = second.wait(lambda doing: len(doing.active) == PARTITIONS)
            first.wait(lambda doing: doing.active == TASKS - shared.active)
            write(address, topics[0], "a b c d")
            assert counted(address, topics[1], 10) == {"a": 4, "b": 3, "c": 2, "d": 1}
            first.child.kill()
            second.wait(runs_all)
            write(address, topics[0], "a d d")
            assert counted(address, topics[1], 13) == {"a": 5, "b": 3, "c": 2, "d": 3}


@pytest.mark.long
def test_a_broker_that_was_killed_knows_the_application_again(ours: OurBroker) -> None:
    topics, address = new_topics(ours), ours.bootstrap_servers
    with StreamsApp(address, f"of-{topics[0]}", topics, EXACTLY_ONCE) as only:
        only.wait(runs_all)
        write(address, topics[0], "a b")
        assert counted(address, topics[1], 2) == {"a": 1, "b": 1}
        ours.child.kill()
        ours.start()
        write(address, topics[0], "b c")
        assert counted(address, topics[1], 4) == {"a": 1, "b": 2, "c": 1}
        assert runs_all(only.doing())


def reported(address: str) -> dict[str, list[str]]:
    """What Kafka's tool prints of the application, without what only tells one run from another."""

    def described(*what: str) -> list[str]:
        printed = run_tool(*COMMAND, address, "--describe", "--group", APP, *what)
        return sorted(" ".join(line.split()) for line in printed.splitlines())

    listed = run_tool(*COMMAND, address, "--list", "--state")
    return {
        "offsets": described("--offsets"),
        "members": [_ONE_RUN.sub("#", one) for one in described("--members", "--verbose")],
        "state": [_ONE_RUN.sub("#", one) for one in described("--state", "--verbose")],
        "list": [one for one in listed.splitlines() if one.startswith(APP)],
    }


@pytest.mark.long
@pytest.mark.timeout(600)
def test_kafkas_tool_tells_the_same_as_of_an_application_on_kafka() -> None:
    printed, copies = [], QUICK | {"group.streams.num.standby.replicas": "1"}
    for kind in (RealKafka, OurBroker):
        with kind(properties=copies) as broker:
            address, topics = broker.bootstrap_servers, ("words", "counts")
            make(address, topics)
            write(address, topics[0], "a b c d")
            with StreamsApp(address, APP, topics) as first:
                first.wait(runs_all)
                with StreamsApp(address, APP, topics) as second:
                    for app in (first, second):
                        app.wait(lambda doing: (len(doing.active), len(doing.standby)) == (4, 2))
                    counted(address, topics[1], 4)
                    printed.append(reported(address))
            run_tool(*COMMAND, address, "--delete", "--group", APP)
    assert printed[0] == printed[1]


def script(talk: Talk) -> Instance:
    """Two instances, one of which has given something back to the other."""
    for name in ("t", "store"):
        talk.create(name, partitions=2)
    store = internal(talk.topic("store"), cleanup_policy="compact")
    parts = [part("0", talk.topic("t"), keeps=[store])]
    one, two = Instance(talk, "app", "one"), Instance(talk, "app", "two")
    one.joins("joins", *parts, topology_epoch=3, rack_id="r", client_tags=[ZONE])
    two.joins("joins too", *parts, topology_epoch=3, user_endpoint=Endpoint(host="h", port=7))
    one.says("is to give back")
    two.says("waits")
    one.says("gives back", **one.does)
    two.says("gets it")
    return one


def records(folder: Path, group: str) -> list[str]:
    """What Kafka's own tool reads of a group in the offsets' topic, but for times and hashes."""
    (segment,) = folder.glob("__consumer_offsets-*/00000000000000000000.log")
    files = "--files", str(segment), "--offsets-decoder", "--print-data-log"
    lines = [one.partition("key: ")[2] for one in run_tool("DumpLogSegments", *files).splitlines()]
    return [_UNLIKE.sub("", one) for one in lines if f'"groupId":"{group}"' in one]


@pytest.mark.long
def test_the_records_are_kafkas_and_so_what_a_kafka_left_goes_on(tmp_path: Path) -> None:
    with RealKafka(properties=QUICK) as kafka:
        one = script(Talk(kafka.bootstrap_servers, "records"))
        with kafka.down() as left:
            data = shutil.copytree(left, tmp_path / "data")
    with OurBroker(properties=QUICK) as ours:
        script(Talk(ours.bootstrap_servers, "records"))
        kept = records(ours.data_dir, one.group)
        assert kept
        assert kept == records(data, one.group)
    with serving("--data-dir", str(data)) as served:
        one.talk = Talk(served.servers, "records")
        assert one.says("goes on").error_code == 0
        (group,) = one.talk.ask("described", one.describe(), 0).groups
    assert len(group.members) == 2
    assert all(each.assignment == each.target_assignment for each in group.members)
