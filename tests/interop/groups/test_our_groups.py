"""Our consumer as a member of groups: alone, among others of any client, on either broker; killed."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.group_members import (
    SHORT_SESSION_MS,
    AioMember,
    ConfluentMember,
    KafkaPythonMember,
    Member,
    OurMember,
)
from tests.interop.groups.test_groups import (
    ALL,
    EACH,
    PARTITIONS,
    fill,
    read_all,
    read_until,
    share,
)
from tests.interop.java_member import JavaMember
from tests.interop.peers.kafka_tools import run_tool

pytestmark = pytest.mark.interop

ROOT = Path(__file__).parents[3]
STRATEGIES = ("range", "roundrobin", "sticky", "cooperative-sticky")
CONFLUENT = ("range", "roundrobin", "cooperative-sticky")
JAVA = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative-sticky": "CooperativeStickyAssignor",
}


@pytest.fixture
def broker(group_broker: InteropBroker) -> InteropBroker:
    return group_broker


def ours(address: str, topic: str, strategy: str) -> OurMember:
    return OurMember(address, f"of-{topic}", topic, partition_assignment_strategy=strategy)


Make = Callable[[str, str], Member]


def among_two_others(broker: InteropBroker, mine: Make, other: Make) -> None:
    """Ours leads, then another client; each way every record is read once, from the committed offsets on."""
    topic = broker.new_topic(partitions=PARTITIONS)
    address = broker.bootstrap_servers
    one = mine(address, topic)
    share([one])
    two = other(address, topic)
    share([one, two])
    fill(address, topic)
    read_all([one, two], 0)
    two.commit()
    one.commit()
    one.close()
    share([two])
    three = mine(address, topic)
    share([two, three])
    fill(address, topic)
    read_all([two, three], EACH)
    for each in (three, two):
        each.commit()
        each.close()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_members_of_ours(broker: InteropBroker, strategy: str) -> None:
    def mine(address: str, topic: str) -> Member:
        return ours(address, topic, strategy)

    among_two_others(broker, mine, mine)


@pytest.mark.parametrize("strategy", CONFLUENT)
def test_with_librdkafka(broker: InteropBroker, strategy: str) -> None:
    def other(address: str, topic: str) -> Member:
        more = {"partition_assignment_strategy": strategy}
        return ConfluentMember(address, f"of-{topic}", topic, **more)

    among_two_others(broker, lambda address, topic: ours(address, topic, strategy), other)


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [(KafkaPythonMember, "range"), (AioMember, "roundrobin")],
    ids=["kafka-python", "aiokafka"],
)
def test_with_clients_in_python(
    broker: InteropBroker, kind: Callable[[str, str, str], Member], strategy: str
) -> None:
    def other(address: str, topic: str) -> Member:
        return kind(address, f"of-{topic}", topic)

    among_two_others(broker, lambda address, topic: ours(address, topic, strategy), other)


@pytest.mark.java
@pytest.mark.long
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_with_java(broker: InteropBroker, strategy: str) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    fill(address, topic)
    one = ours(address, topic, strategy)
    share_and_read = read_until([one], lambda read: read.total() >= EACH * PARTITIONS)
    assert share_and_read.total() == EACH * PARTITIONS
    one.commit()
    two = JavaMember(address, f"of-{topic}", topic, JAVA[strategy])
    try:
        share([one, two])
        fill(address, topic)
        read_all([one, two], EACH)
        one.commit()
        one.close()
        share([two])
        three = ours(address, topic, strategy)
        share([two, three])
    finally:
        two.kill()
    read_until([three], lambda _: three.assigned() == ALL)
    fill(address, topic)
    read_all([three], 2 * EACH)
    three.close()


def one_is_killed(broker: InteropBroker, kind: type[OurMember], **more: str) -> None:
    """Another process of ours has half of the partitions, until it is killed."""
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    code = (
        f"import sys\nfrom tests.interop.group_members import {kind.__name__} as Member\n"
        f"member = Member(*sys.argv[1:], **{more})\n"
        "while True: member.poll()\n"
    )
    group = f"of-{topic}"
    with subprocess.Popen([sys.executable, "-c", code, address, group, topic], cwd=ROOT) as other:
        one = kind(address, group, topic)
        read_until([one], lambda _: len(one.assigned()) == PARTITIONS // 2)
        other.send_signal(signal.SIGKILL)
    share([one])
    fill(address, topic)
    read_all([one], 0)
    one.close()


def test_a_killed_member_of_ours_is_replaced(broker: InteropBroker) -> None:
    one_is_killed(broker, OurMember, session_timeout_ms=str(SHORT_SESSION_MS))


@pytest.mark.java
def test_kafkas_tool_sees_what_we_have(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    one = OurMember(address, f"of-{topic}", topic, group_instance_id="the-one")
    share([one])
    printed = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                    "--describe", "--group", f"of-{topic}", "--members", "--verbose")  # fmt: skip
    (line,) = [line for line in printed.splitlines() if line.startswith(f"of-{topic}")]
    assert "the-one" in line
    assert f"{topic}:0,1,2,3" in line.replace(" ", "")
    one.close()


def test_barnabas_consume_reads_as_a_member(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    fill(address, topic)
    command = [
        sys.executable, "-m", "barnabas", "consume", topic, "--group", f"of-{topic}",
        "-b", address, "--json", "-c",
    ]  # fmt: skip
    first = subprocess.run(
        [*command, "150", "--from-beginning"], capture_output=True, check=True, timeout=60
    )
    second = subprocess.run([*command, "50"], capture_output=True, check=True, timeout=60)
    lines = [json.loads(line) for line in (first.stdout + second.stdout).splitlines()]
    read = sorted((line["partition"], line["offset"]) for line in lines)
    assert read == [(one, offset) for one in sorted(ALL) for offset in range(EACH)]
