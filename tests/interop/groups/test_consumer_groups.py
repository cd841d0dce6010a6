"""Consumers of groups whose broker assigns (KIP-848): librdkafka and Java, moved live from JoinGroup."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from tests.interop.group_members import ConfluentMember
from tests.interop.groups.test_groups import (
    ALL,
    EACH,
    PARTITIONS,
    SECONDS,
    fill,
    new_topic,
    read_all,
    read_until,
    share,
)
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.kafka_tools import run_tool

pytestmark = pytest.mark.interop

QUICK = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "4",
}
SHORT_SESSIONS = {
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "6000",
}


class NewMember(ConfluentMember):
    """librdkafka in a consumer group, where sessions and heartbeats are the broker's to say."""

    times: Mapping[str, int] = {}

    def __init__(self, address: str, group: str, topic: str, **more: str) -> None:
        super().__init__(address, group, topic, group_protocol="consumer", **more)


@pytest.fixture(scope="module")
def ours() -> Iterator[OurBroker]:
    """A broker whose groups settle quickly."""
    with OurBroker(properties=QUICK) as broker:
        yield broker


def kind_of(address: str, group: str) -> str:
    admin = AdminClient({"bootstrap.servers": address})
    listed = admin.list_consumer_groups().result(SECONDS).valid
    kinds = {one.group_id: one.type for one in listed}
    return str(kinds[group].name)


def test_two_share_and_one_goes(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    one, two = (NewMember(address, group, topic) for _ in range(2))
    share([one, two])
    fill(address, topic)
    read_all([one, two], 0)
    one.commit()
    two.commit()
    assert kind_of(address, group) == "CONSUMER"
    two.close()
    share([one])
    fill(address, topic)
    read_all([one], EACH)
    one.close()


def test_a_regular_expression_finds_topics_that_come_later(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    fill(address, topic)
    one = NewMember(address, f"of-{topic}", f"^{topic}.*")
    read_all([one], 0)
    admin = AdminClient({"bootstrap.servers": address})
    more = f"{topic}-more"
    admin.create_topics([NewTopic(more, num_partitions=1)])[more].result(SECONDS)
    read_until([one], lambda _: len(one.places()) == PARTITIONS + 1)
    one.close()


def test_a_killed_member_is_replaced_and_the_broker_too() -> None:
    with OurBroker(properties=QUICK | SHORT_SESSIONS) as broker:
        topic, address = new_topic(broker), broker.bootstrap_servers
        code = (
            "import sys\nfrom tests.interop.groups.test_consumer_groups import NewMember\n"
            "member = NewMember(*sys.argv[1:])\n"
            "while True: member.poll()\n"
        )
        root = str(Path(__file__).parents[3])
        with subprocess.Popen(
            [sys.executable, "-c", code, address, "killed", topic], cwd=root
        ) as other:
            one = NewMember(address, "killed", topic)
            read_until([one], lambda _: len(one.assigned()) == PARTITIONS // 2)
            other.send_signal(signal.SIGKILL)
        share([one])
        fill(address, topic)
        read_all([one], 0)
        one.commit()
        broker.child.kill()
        broker.start()
        fill(address, topic)
        read_all([one], EACH)
        assert one.assigned() == ALL
        one.close()


def test_a_static_member_comes_back_to_what_it_had(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    one = NewMember(address, group, topic, group_instance_id="first")
    two = NewMember(address, group, topic, group_instance_id="second")
    share([one, two])
    had = two.assigned()
    two.close()
    two = NewMember(address, group, topic, group_instance_id="second")
    share([one, two])
    assert two.assigned() == had
    one.close()
    two.close()


def test_a_live_group_goes_over_and_back(ours: OurBroker) -> None:
    """Nobody stops: a classic member and one of the new kind share, whichever kind the group is."""
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    old = ConfluentMember(address, group, topic)
    share([old])
    assert kind_of(address, group) == "CLASSIC"
    new = NewMember(address, group, topic)
    share([old, new])
    assert kind_of(address, group) == "CONSUMER"
    fill(address, topic)
    read_all([old, new], 0)
    old.commit()
    new.commit()
    new.close()
    share([old])
    assert kind_of(address, group) == "CLASSIC"
    fill(address, topic)
    read_all([old], EACH)
    old.close()


@pytest.mark.java
def test_java_reads_as_a_member_and_tells_of_it(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    printed = run_tool(
        "consumer.ConsoleConsumer", "--bootstrap-server", address, "--topic", topic,
        "--group", group, "--from-beginning", "--max-messages", str(EACH * PARTITIONS),
        "--timeout-ms", "30000", "--command-property", "group.protocol=consumer",
    )  # fmt: skip
    assert sorted(map(int, printed.split())) == list(range(EACH * PARTITIONS))
    member = NewMember(address, group, topic)
    share([member])
    output = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                    "--describe", "--group", group, "--members", "--verbose")  # fmt: skip
    row = next(line.split() for line in output.splitlines() if line.startswith(group))
    assert row[4:] == [str(PARTITIONS), row[5], f"{topic}:0,1,2,3", row[5], f"{topic}:0,1,2,3"]
    member.close()
    deleted = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                       "--delete", "--group", group)  # fmt: skip
    assert "was successful" in deleted
