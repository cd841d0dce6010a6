"""Clients of many makes through `barnabas wire proxy`: undisturbed, and understood to the last byte."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from barnabas.testing import EmbeddedBroker
from tests.commands.wire.proxied import assert_understood, proxied
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.aiokafka_client import Aiokafka
from tests.interop.clients.ours import Ours
from tests.interop.peers import generations
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.kafka07_clients import Client07, node_client, python_client
from tests.interop.peers.kafka_tools import run_class, run_tool
from tests.interop.peers.kcat import run_kcat
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = pytest.mark.interop

LINES = [f"line {index} " + "x" * (index % 30) for index in range(100)]
GIVEN = "".join(f"{line}\n" for line in LINES)


def kcat(address: str, topic: str) -> list[str]:
    run_kcat("-b", address, "-P", "-t", topic, "-p", "0", "-z", "snappy", given=GIVEN.encode())
    return run_kcat("-b", address, "-C", "-t", topic, "-p", "0", "-e", "-q").decode().splitlines()


def aiokafka(address: str, topic: str) -> list[str]:
    sent = [samples.Sample(None, line.encode(), samples.START_MS) for line in LINES]
    Aiokafka().write(address, topic, sent, codec="lz4", idempotent=True)
    read = Aiokafka().read(address, topic, len(LINES))
    return [(each.value or b"").decode() for each in read]


def java_today(address: str, topic: str) -> list[str]:
    run_tool(
        "VerifiableProducer", "--bootstrap-server", address, "--topic", topic,
        "--max-messages", str(len(LINES)), "--acks", "-1",
    )  # fmt: skip
    run_tool(
        "consumer.ConsoleConsumer", "--bootstrap-server", address, "--topic", topic,
        "--group", "lens", "--from-beginning", "--max-messages", str(len(LINES)),
    )  # fmt: skip
    return LINES


def java_0_8(address: str, topic: str) -> list[str]:
    """Its own producer, and the consumer that asks brokers and no ZooKeeper."""
    run_class(
        generations.KAFKA_0_8_2, "kafka.tools.ConsoleProducer", "--broker-list", address,
        "--topic", topic, "--sync", "--compression-codec", "gzip", given=GIVEN,
    )  # fmt: skip
    read = run_class(
        generations.KAFKA_0_8_2, "kafka.tools.SimpleConsumerShell", "--broker-list", address,
        "--topic", topic, "--partition", "0", "--offset", "-2", "--max-messages", str(len(LINES)),
    )  # fmt: skip
    return read.splitlines()


def ours(address: str, topic: str) -> list[str]:
    sent = [samples.Sample(None, line.encode(), samples.START_MS) for line in LINES]
    Ours().write(address, topic, sent, codec="zstd")
    return [(each.value or b"").decode() for each in Ours().read(address, topic, len(LINES))]


@pytest.mark.parametrize(
    "client",
    [
        pytest.param(kcat, marks=pytest.mark.skipif(not shutil.which("kcat"), reason="needs kcat")),
        aiokafka,
        ours,
        pytest.param(java_today, marks=pytest.mark.java),
        pytest.param(java_0_8, marks=pytest.mark.java),
    ],
)
def test_a_conversation(
    our_broker: OurBroker, tmp_path: Path, client: Callable[[str, str], list[str]]
) -> None:
    broker = InteropBroker(our_broker)
    topic = broker.new_topic()
    with proxied(broker.bootstrap_servers, tmp_path, "--json") as proxy:
        try:
            assert client(proxy.servers, topic) == LINES
        except PeerMissing as missing:
            give_up(missing)
    found = proxy.documents()
    assert_understood(found)
    assert {"Produce", "Fetch", "Metadata"} <= {each["api"] for each in found}
    assert {each["kind"] for each in found if each["api"] == "Fetch"} == {"request", "response"}


OLD: dict[str, tuple[Callable[..., Client07], tuple[str, ...], list[str]]] = {
    "samsa": (python_client, ("samsa",), ["produce0", "produce1", "multiproduce"]),
    "franz-kafka": (node_client, ("franz-kafka",), ["none", "gzip"]),
    "prozess": (node_client, ("prozess",), ["produce"]),
}


@pytest.mark.parametrize("name", OLD)
def test_a_conversation_of_0_7(tmp_path: Path, name: str) -> None:
    find, arguments, verbs = OLD[name]
    try:
        client = find(*arguments)
    except PeerMissing as missing:
        give_up(missing)
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
        "num.partitions": "2",
    }
    with EmbeddedBroker(config) as broker:
        address = f"127.0.0.1:{broker.port_of('OLD')}"
        with proxied(address, tmp_path, "--json", "--dialect", "kafka-0.7") as proxy:
            port = int(proxy.servers.rpartition(":")[2])
            for verb in verbs:
                topic = f"proxied-{verb}"
                client.produce(verb, port, topic, 1, *LINES[:3])
                read = client.consume(port, topic, 1, 0, 3)
                assert [text for text, _ in read[:3]] == LINES[:3]
    found = proxy.documents()
    assert_understood(found)
    assert {"FETCH", "OFFSETS"} & {each["api"] for each in found}
    assert {each["kind"] for each in found} == {"request", "response"}
