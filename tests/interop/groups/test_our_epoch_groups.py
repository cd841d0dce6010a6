"""Our consumer in groups whose broker assigns (KIP-848): among others, killed, moved over; both brokers."""

import re
from collections.abc import Iterator

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas import BrokerError, ErrorCode
from tests.interop.brokers import InteropBroker
from tests.interop.group_members import ConfluentMember, Member, OurEpochMember, OurMember
from tests.interop.groups.test_consumer_groups import QUICK, NewMember, kind_of
from tests.interop.groups.test_groups import (
    ALL,
    EACH,
    PARTITIONS,
    SECONDS,
    fill,
    read_all,
    read_until,
    share,
)
from tests.interop.groups.test_our_groups import among_two_others, one_is_killed
from tests.interop.java_member import JavaMember
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.kafka_tools import run_tool

pytestmark = pytest.mark.interop

PROPERTIES = QUICK | {
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "15000",
}


@pytest.fixture(scope="module")
def quick_kafka() -> Iterator[RealKafka]:
    with RealKafka(properties=PROPERTIES) as kafka:
        yield kafka


@pytest.fixture(scope="module")
def quick_ours() -> Iterator[OurBroker]:
    with OurBroker(properties=PROPERTIES) as ours:
        yield ours


@pytest.fixture(
    params=[
        pytest.param("quick_kafka", marks=[pytest.mark.java, pytest.mark.long], id="kafka"),
        pytest.param("quick_ours", id="barnabas"),
    ]
)
def broker(request: pytest.FixtureRequest) -> InteropBroker:
    return InteropBroker(request.getfixturevalue(request.param))


def ours(address: str, topic: str, **more: str) -> OurEpochMember:
    return OurEpochMember(address, f"of-{topic}", topic, **more)


@pytest.mark.parametrize("assignor", ["uniform", pytest.param("range", marks=pytest.mark.long)])
def test_members_of_ours(broker: InteropBroker, assignor: str) -> None:
    def mine(address: str, topic: str) -> Member:
        return ours(address, topic, group_remote_assignor=assignor)

    among_two_others(broker, mine, mine)


def test_with_librdkafka(broker: InteropBroker) -> None:
    among_two_others(broker, ours, lambda at, topic: NewMember(at, f"of-{topic}", topic))


def test_with_a_classic_member_of_librdkafka(broker: InteropBroker) -> None:
    among_two_others(broker, ours, lambda at, topic: ConfluentMember(at, f"of-{topic}", topic))


@pytest.mark.long
def test_with_a_classic_member_of_ours(broker: InteropBroker) -> None:
    among_two_others(broker, ours, lambda at, topic: OurMember(at, f"of-{topic}", topic))


@pytest.mark.java
@pytest.mark.long
@pytest.mark.parametrize("strategy", [None, "RangeAssignor"], ids=["consumer", "classic"])
def test_with_java(broker: InteropBroker, strategy: str | None) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    one = ours(address, topic)
    share([one])
    two = JavaMember(address, f"of-{topic}", topic, strategy)
    try:
        share([one, two])
        fill(address, topic)
        read_all([one, two], 0)
        one.commit()
        one.close()
        share([two])
        three = ours(address, topic)
        share([two, three])
    finally:
        two.kill()
    read_until([three], lambda _: three.assigned() == ALL)
    fill(address, topic)
    read_all([three], EACH)
    three.close()


@pytest.mark.long
def test_a_killed_member_of_ours_is_replaced(broker: InteropBroker) -> None:
    one_is_killed(broker, OurEpochMember)


def test_a_static_member_comes_back_to_what_it_had(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    one, two = (ours(address, topic, group_instance_id=name) for name in ("first", "second"))
    share([one, two])
    had = two.assigned()
    late = ours(address, topic, group_instance_id="second")
    with pytest.raises(BrokerError) as raised:
        read_until([late], lambda _: bool(late.assigned()))
    assert raised.value.code is ErrorCode.UNRELEASED_INSTANCE_ID
    two.close()
    share([one, late])
    assert late.assigned() == had
    one.close()
    late.close()


def test_a_group_is_moved_over_member_by_member_and_back(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    group = f"of-{topic}"
    kinds: list[type[OurMember]] = [OurEpochMember, OurEpochMember, OurMember, OurMember]
    members = [OurMember(address, group, topic) for _ in range(2)]
    share(members)
    for turn, kind in enumerate(kinds):
        fill(address, topic)
        read_all(members, turn * EACH)
        for each in members:
            each.commit()
        members.pop(0).close()
        share(members)
        members.append(kind(address, group, topic))
        share(members)
        assert kind_of(address, group) == ("CONSUMER" if turn < len(kinds) - 1 else "CLASSIC")
    for each in members:
        each.close()


def test_a_pattern_takes_topics_that_come_later(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    fill(address, topic)
    one = OurEpochMember(address, f"of-{topic}", re.compile(f"{topic}.*"))
    read_all([one], 0)
    admin = AdminClient({"bootstrap.servers": address})
    more = f"{topic}-more"
    admin.create_topics([NewTopic(more, num_partitions=1)])[more].result(SECONDS)
    read_until([one], lambda _: len(one.places()) == PARTITIONS + 1)
    one.close()


@pytest.mark.long
@pytest.mark.parametrize(
    "kind", [pytest.param(RealKafka, marks=pytest.mark.java), OurBroker], ids=["kafka", "barnabas"]
)
def test_a_group_goes_on_when_the_broker_was_killed(
    kind: type[RealKafka] | type[OurBroker],
) -> None:
    with kind(properties=PROPERTIES) as running:
        topic = InteropBroker(running).new_topic(partitions=PARTITIONS)
        address = running.bootstrap_servers
        members = [ours(address, topic, reconnect_backoff_max_ms="200") for _ in range(2)]
        share(members)
        fill(address, topic)
        read_all(members, 0)
        had = [one.assigned() for one in members]
        for one in members:
            one.commit()
        running.child.kill()
        if isinstance(running, RealKafka):
            running.restart()
        else:
            running.start()
        fill(address, topic)
        read_all(members, EACH)
        assert [one.assigned() for one in members] == had
        for one in members:
            one.close()


@pytest.mark.java
@pytest.mark.long
def test_where_the_feature_is_off_the_error_says_what_to_do() -> None:
    with RealKafka(features={"group.version": 0}) as kafka:
        one = ours(kafka.bootstrap_servers, "any")
        with pytest.raises(BrokerError, match=r"set group\.protocol=classic") as raised:
            read_until([one], lambda _: False)
        assert raised.value.code is ErrorCode.UNSUPPORTED_VERSION
        one.close()


@pytest.mark.java
@pytest.mark.long
def test_kafkas_tool_sees_what_we_have(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    group = f"of-{topic}"
    one = ours(address, topic, group_instance_id="the-one")
    share([one])
    printed = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                    "--describe", "--group", group, "--members", "--verbose")  # fmt: skip
    row = next(line.split() for line in printed.splitlines() if line.startswith(group))
    assert "the-one" in row
    assert f"{topic}:0,1,2,3" in row
    one.close()
