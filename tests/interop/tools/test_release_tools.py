"""The console programs of each release of Kafka, as a user of that release calls them."""

import json
from typing import NamedTuple

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.clients.ours import Ours
from tests.interop.java_member import place_option
from tests.interop.peers import generations
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.kafka_tools import run_class
from tests.interop.peers.maven import MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.samples import Sample

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

LINES = [f"line {index} " + "x" * (index % 30) for index in range(200)]


class Tools(NamedTuple):
    """The programs of a release: class and options; A and T stand for the address and the topic."""

    release: MavenPeer
    produce: str
    consume: str
    offsets: str = "kafka.tools.GetOffsetShell --broker-list A --topic T --time -1"


_OLD_PRODUCER = "kafka.tools.ConsoleProducer --broker-list A --topic T --sync"
_PRODUCER = "kafka.tools.ConsoleProducer --broker-list A --topic T --compression-codec gzip"
_SHELL = (
    "kafka.tools.SimpleConsumerShell --broker-list A --topic T --partition 0 --offset -2 "
    f"--max-messages {len(LINES)}"
)
_CONSUMER = (
    "kafka.tools.ConsoleConsumer --bootstrap-server A --topic T --partition 0 --offset earliest "
    f"--max-messages {len(LINES)}"
)
RELEASES = (
    Tools(
        generations.KAFKA_0_8_1,
        _OLD_PRODUCER.replace("kafka.tools.", "kafka.producer."),
        _SHELL,
    ),
    Tools(generations.KAFKA_0_8_2, _OLD_PRODUCER, _SHELL),
    Tools(generations.KAFKA_0_8_2, f"{_OLD_PRODUCER} --new-producer", _SHELL),
    Tools(generations.KAFKA_0_9, _PRODUCER, _SHELL),
    Tools(generations.KAFKA_0_10, _PRODUCER, f"{_CONSUMER} --new-consumer"),
    Tools(generations.KAFKA_0_11, _PRODUCER, _CONSUMER),
    Tools(generations.KAFKA_1, _PRODUCER, _CONSUMER),
    Tools(generations.KAFKA_2_4, _PRODUCER, _CONSUMER),
    Tools(generations.KAFKA_2_8, _PRODUCER, _CONSUMER),
    Tools(
        generations.KAFKA_3_9,
        _PRODUCER.replace("--broker-list", "--bootstrap-server"),
        _CONSUMER.replace("kafka.tools.", "org.apache.kafka.tools.consumer."),
        "org.apache.kafka.tools.GetOffsetShell --bootstrap-server A --topic T --time -1",
    ),
)


@pytest.mark.parametrize("tools", RELEASES, ids=lambda each: each.release.name)
def test_lines_go_in_and_come_out(our_broker: OurBroker, tools: Tools) -> None:
    broker = InteropBroker(our_broker)
    topic = broker.new_topic()

    def call(program: str, given: str = "") -> str:
        place = {"A": broker.bootstrap_servers, "T": topic}
        words = [place.get(word, word) for word in program.split()]
        try:
            return run_class(tools.release, *words, given=given)
        except PeerMissing as missing:
            give_up(missing)

    call(tools.produce, "".join(f"{line}\n" for line in LINES))
    stored = Ours().read(broker.bootstrap_servers, topic, len(LINES))
    assert [each.value for each in stored] == [line.encode() for line in LINES]
    assert call(tools.consume).splitlines() == LINES
    assert call(tools.offsets).split() == [f"{topic}:0:{len(LINES)}"]


_OLD_PERFORMANCE = (
    "kafka.tools.ProducerPerformance --broker-list A --topics T --messages 5000 "
    "--message-size 100 --batch-size 200 --compression-codec 1"
)
_PERFORMANCE = (
    "org.apache.kafka.tools.ProducerPerformance --topic T --num-records 5000 --record-size 100 "
    "--throughput -1 --producer-props P compression.type=lz4 acks=all"
)


@pytest.mark.parametrize(
    ("release", "program"),
    [
        (generations.KAFKA_0_8_2, _OLD_PERFORMANCE),
        (
            generations.KAFKA_0_8_2,
            "org.apache.kafka.clients.tools.ProducerPerformance T 5000 100 -1 P acks=1",
        ),
        (generations.KAFKA_0_9, _OLD_PERFORMANCE),
        (generations.KAFKA_0_10, _OLD_PERFORMANCE),
        (generations.KAFKA_0_10, f"{_OLD_PERFORMANCE} --new-producer"),
        (generations.KAFKA_0_11, _OLD_PERFORMANCE),
        (generations.KAFKA_1, _OLD_PERFORMANCE),
        (generations.KAFKA_TOOLS_2_4, _PERFORMANCE),
        (generations.KAFKA_TOOLS_2_8, _PERFORMANCE),
        (generations.KAFKA_3_9, _PERFORMANCE),
    ],
    ids=lambda each: each.name if isinstance(each, MavenPeer) else each.split()[0],
)
def test_the_performance_producer(our_broker: OurBroker, release: MavenPeer, program: str) -> None:
    broker = InteropBroker(our_broker)
    topic, address = broker.new_topic(), broker.bootstrap_servers
    place = {"A": address, "T": topic, "P": f"bootstrap.servers={address}"}
    try:
        run_class(release, *(place.get(word, word) for word in program.split()))
    except PeerMissing as missing:
        give_up(missing)
    assert len(Ours().read(address, topic, 5000)) == 5000


@pytest.mark.parametrize("tools", RELEASES[3:], ids=lambda each: each.release.name)
def test_a_member_of_a_group_reads(our_broker: OurBroker, tools: Tools) -> None:
    """The consumers of 0.9 and later, each in a group of its own making."""
    broker = InteropBroker(our_broker)
    topic, address = broker.new_topic(), broker.bootstrap_servers
    Ours().write(address, topic, [Sample(None, line.encode(), 1, ()) for line in LINES])
    consume = tools.consume if "Console" in tools.consume else _CONSUMER
    program = consume.split(maxsplit=1)[0]
    old = tools.release in (generations.KAFKA_0_9, generations.KAFKA_0_10)
    try:
        printed = run_class(
            tools.release, program, "--bootstrap-server", address, "--topic", topic,
            "--from-beginning", "--max-messages", str(len(LINES)), "--timeout-ms", "30000",
            *(["--new-consumer"] if old else []),
        )  # fmt: skip
    except PeerMissing as missing:
        give_up(missing)
    assert printed.splitlines() == LINES


@pytest.mark.parametrize(
    "release",
    [
        generations.KAFKA_TOOLS_0_9,
        generations.KAFKA_TOOLS_0_10,
        generations.KAFKA_TOOLS_0_11,
        generations.KAFKA_TOOLS_1,
        generations.KAFKA_TOOLS_2_8,
        generations.KAFKA_3_9,
    ],
    ids=lambda each: each.version,
)
def test_the_verifiable_producer(our_broker: OurBroker, release: MavenPeer) -> None:
    broker = InteropBroker(our_broker)
    topic, address = broker.new_topic(), broker.bootstrap_servers
    try:
        printed = run_class(
            release, "org.apache.kafka.tools.VerifiableProducer", place_option(release), address,
            "--topic", topic, "--max-messages", "1000", "--acks", "-1",
        )  # fmt: skip
    except PeerMissing as missing:
        give_up(missing)
    events = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    sent = [event for event in events if event["name"] == "producer_send_success"]
    assert [event["offset"] for event in sent] == list(range(1000))
    read = Ours().read(address, topic, 1000)
    assert [each.value for each in read] == [event["value"].encode() for event in sent]
