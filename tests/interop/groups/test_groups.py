"""Consumers that share partitions as members of a group: joined, killed, restarted under them."""

import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from barnabas.coordinators.offsets.partitioning import partition_for
from tests.interop.brokers import InteropBroker
from tests.interop.group_members import (
    MEMBERS,
    QUICK,
    SHORT_SESSION_MS,
    ConfluentMember,
    Member,
    OurMember,
    Place,
)
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.kafka_tools import run_tool
from tests.interop.peers.kcat import run_kcat

pytestmark = pytest.mark.interop

PARTITIONS = 4
EACH = 50
SECONDS = 80.0
ALL = set(range(PARTITIONS))


@pytest.fixture(scope="module")
def ours() -> Iterator[OurBroker]:
    """A broker whose groups begin at once."""
    with OurBroker(properties=QUICK) as broker:
        yield broker


def new_topic(broker: OurBroker) -> str:
    return InteropBroker(broker).new_topic(partitions=PARTITIONS)


def fill(address: str, topic: str) -> None:
    """Fifty records more in each partition."""
    producer = Producer({"bootstrap.servers": address})
    for number in range(EACH * PARTITIONS):
        producer.produce(topic, b"%d" % number, partition=number % PARTITIONS)
    assert producer.flush(SECONDS) == 0


def places(first: int = 0) -> Counter[Place]:
    return Counter((one, offset) for one in ALL for offset in range(first, first + EACH))


def read_until(members: Sequence[Member], done: Callable[[Counter[Place]], bool]) -> Counter[Place]:
    """What all of them read until it is enough; each is polled in turn."""
    deadline = time.monotonic() + SECONDS
    read: Counter[Place] = Counter()
    while not done(read):
        for member in members:
            read.update(member.poll())
        assert time.monotonic() < deadline, f"{[one.assigned() for one in members]} {len(read)}"
    return read


def share(members: Sequence[Member]) -> None:
    """Poll until each has something and they have all."""

    def shared(_: Counter[Place]) -> bool:
        parts = [one.assigned() for one in members]
        return all(parts) and sum(map(len, parts)) == PARTITIONS and set().union(*parts) == ALL

    assert not read_until(members, shared)


def read_all(members: Sequence[Member], first: int) -> None:
    """Poll until all of the last fill was read, each record once."""
    read = read_until(members, lambda read: read.total() >= EACH * PARTITIONS)
    assert read == places(first)


@pytest.mark.parametrize("name", MEMBERS)
def test_two_share_and_one_goes(ours: OurBroker, name: str) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    one, two = (MEMBERS[name](address, f"of-{topic}", topic) for _ in range(2))
    share([one, two])
    fill(address, topic)
    read_all([one, two], 0)
    two.commit()
    one.commit()
    two.close()
    share([one])
    fill(address, topic)
    read_all([one], EACH)
    one.close()


def test_a_killed_member_is_replaced_when_its_session_ends(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    code = (
        "import sys\nfrom tests.interop.group_members import ConfluentMember\n"
        f"member = ConfluentMember(*sys.argv[1:], session_timeout_ms='{SHORT_SESSION_MS}')\n"
        "while True: member.poll()\n"
    )
    root = str(Path(__file__).parents[3])
    with subprocess.Popen(
        [sys.executable, "-c", code, address, "killed", topic], cwd=root
    ) as other:
        one = ConfluentMember(address, "killed", topic)
        read_until([one], lambda _: len(one.assigned()) == PARTITIONS // 2)
        other.send_signal(signal.SIGKILL)
    share([one])
    fill(address, topic)
    read_all([one], 0)
    one.close()


def test_a_static_member_comes_back_to_what_it_had(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    names = {"group_instance_id": "first"}, {"group_instance_id": "second"}
    one, two = (ConfluentMember(address, "static", topic, **each) for each in names)
    share([one, two])
    before = two.assigned(), generation(address, "static")
    two.close()
    two = ConfluentMember(address, "static", topic, **names[1])
    share([one, two])
    assert (two.assigned(), generation(address, "static")) == before
    one.close()
    two.close()


def generation(address: str, group: str) -> set[tuple[str, tuple[int, ...]]]:
    """The partitions of each static member, by its name."""
    admin = AdminClient({"bootstrap.servers": address})
    described = admin.describe_consumer_groups([group])[group].result(SECONDS)
    return {
        (
            member.group_instance_id,
            tuple(sorted(each.partition for each in member.assignment.topic_partitions)),
        )
        for member in described.members
    }


@pytest.mark.parametrize("kind", [ConfluentMember, OurMember], ids=["confluent-kafka", "barnabas"])
def test_a_group_goes_on_when_the_broker_was_killed(
    kind: type[ConfluentMember] | type[OurMember],
) -> None:
    with OurBroker(properties=QUICK) as broker:
        topic, address = new_topic(broker), broker.bootstrap_servers
        eager = {"reconnect_backoff_max_ms": "200"}
        members = [kind(address, "lasting", topic, **eager) for _ in range(2)]
        share(members)
        fill(address, topic)
        read_all(members, 0)
        had = [one.assigned() for one in members]
        for one in members:
            one.commit()
        broker.child.kill()
        broker.start()
        fill(address, topic)
        read_all(members, EACH)
        assert [one.assigned() for one in members] == had
        for one in members:
            one.close()


@pytest.mark.skipif(shutil.which("kcat") is None, reason="needs kcat: apt-get install kcat")
def test_kcat_reads_as_a_group(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    fill(address, topic)
    printed = run_kcat(
        "-b", address, "-G", f"of-{topic}", "-X", "auto.offset.reset=earliest",
        "-c", str(EACH * PARTITIONS), "-q", "-f", "%p %o\n", topic,
    )  # fmt: skip
    read = Counter(tuple(map(int, line.split())) for line in printed.decode().splitlines())
    assert read == places()


@pytest.mark.java
def test_java_reads_as_a_group_and_tells_of_it(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    printed = run_tool(
        "consumer.ConsoleConsumer", "--bootstrap-server", address, "--topic", topic,
        "--group", group, "--from-beginning", "--max-messages", str(EACH * PARTITIONS),
        "--timeout-ms", "30000", "--command-property", "group.protocol=classic",
    )  # fmt: skip
    assert sorted(map(int, printed.split())) == list(range(EACH * PARTITIONS))
    fill(address, topic)
    output = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                    "--describe", "--group", group)  # fmt: skip
    rows = [line.split() for line in output.splitlines() if line.startswith(group)]
    assert sorted(row[:6] for row in rows) == [
        [group, topic, str(one), str(EACH), str(2 * EACH), str(EACH)] for one in sorted(ALL)
    ]
    assert dumped(broker, group) == {"Stable": 1, "Empty": 1}
    deleted = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                       "--delete", "--group", group)  # fmt: skip
    assert "was successful" in deleted
    listed = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                      "--list")  # fmt: skip
    assert group not in listed.split()


def dumped(broker: InteropBroker, group: str) -> dict[str, int]:
    """How many records of the group Kafka's own tool finds with members, and without."""
    index = partition_for(group, len(list(broker.data_dir.glob("__consumer_offsets-*"))))
    log = broker.data_dir / f"__consumer_offsets-{index}" / "00000000000000000000.log"
    printed = run_tool("DumpLogSegments", "--files", str(log), "--offsets-decoder")
    rows = [line for line in printed.splitlines() if f'"group":"{group}"' in line]
    rows = [line for line in rows if '"protocolType":"consumer"' in line]
    return {
        "Stable": sum('"memberId":"' in line for line in rows),
        "Empty": sum('"members":[]' in line for line in rows),
    }
