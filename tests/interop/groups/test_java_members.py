"""Java consumers of every age as members of one group: killed, and several ages side by side."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from tests.interop.group_members import QUICK
from tests.interop.groups.test_consumer_groups import QUICK as QUICK_EPOCHS
from tests.interop.groups.test_groups import (
    ALL,
    EACH,
    SECONDS,
    fill,
    new_topic,
    read_all,
    read_until,
    share,
)
from tests.interop.java_member import SESSION_MS, JavaMember
from tests.interop.peers import generations
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java]

AGES = (
    pytest.param(generations.KAFKA_TOOLS_0_9, "", id="0.9.0.1"),
    pytest.param(generations.KAFKA_TOOLS_0_10, "", id="0.10.2.2", marks=pytest.mark.long),
    pytest.param(generations.KAFKA_TOOLS_0_11, "", id="0.11.0.3", marks=pytest.mark.long),
    pytest.param(generations.KAFKA_TOOLS_1, "", id="1.1.1", marks=pytest.mark.long),
    pytest.param(generations.KAFKA_TOOLS_2_8, "", id="2.8.2", marks=pytest.mark.long),
    pytest.param(generations.KAFKA_3_9, "", id="3.9.2", marks=pytest.mark.long),
    pytest.param(generations.KAFKA_3_9, None, id="3.9.2-consumer", marks=pytest.mark.long),
    pytest.param(KAFKA_4, "", id="4.3.0", marks=pytest.mark.long),
    pytest.param(KAFKA_4, None, id="4.3.0-consumer"),
)


SESSIONS = {
    "group.consumer.min.session.timeout.ms": str(SESSION_MS),
    "group.consumer.session.timeout.ms": str(SESSION_MS),
}


@pytest.fixture(scope="module")
def ours() -> Iterator[OurBroker]:
    """A broker whose groups settle quickly, of either kind."""
    with OurBroker(properties=QUICK | QUICK_EPOCHS | SESSIONS) as broker:
        yield broker


def kept(address: str, group: str) -> dict[int, int]:
    """What the broker has of the group, by partition."""
    admin = AdminClient({"bootstrap.servers": address})
    asked = [ConsumerGroupTopicPartitions(group)]
    (future,) = admin.list_consumer_group_offsets(asked).values()
    return {one.partition: one.offset for one in future.result(SECONDS).topic_partitions}


def reported(members: list[JavaMember]) -> dict[int, int]:
    """What each of them says that it committed, the highest of each partition."""
    offsets: dict[int, int] = {}
    for one in members:
        for partition, offset in one.committed().items():
            offsets[partition] = max(offset, offsets.get(partition, 0))
    return offsets


def read_and_commit(address: str, group: str, members: list[JavaMember], first: int) -> None:
    """All of the last fill is read once, and committed: the broker has what they say."""
    read_all(members, first)
    wanted = dict.fromkeys(ALL, first + EACH)
    assert not read_until(members, lambda _: reported(members) == wanted)
    assert kept(address, group) == wanted


@contextmanager
def started(
    address: str, topic: str, programs: Sequence[tuple[MavenPeer, str | None]]
) -> Iterator[list[JavaMember]]:
    """Members of one group, none of which is left over."""
    members: list[JavaMember] = []
    try:
        for release, strategy in programs:
            members.append(JavaMember(address, f"of-{topic}", topic, strategy, release))
        yield members
    except PeerMissing as missing:
        give_up(missing)
    finally:
        for one in members:
            one.kill()


def killed_one_by_one(broker: OurBroker, programs: Sequence[tuple[MavenPeer, str | None]]) -> None:
    """Until one is left; each time the others have all, and read and commit it once."""
    topic, address = new_topic(broker), broker.bootstrap_servers
    with started(address, topic, programs) as members:
        for turn in range(len(programs)):
            share(members)
            fill(address, topic)
            read_and_commit(address, f"of-{topic}", members, turn * EACH)
            members.pop().kill()


@pytest.mark.parametrize(("release", "strategy"), AGES)
def test_a_killed_member_leaves_all_to_the_other(
    ours: OurBroker, release: MavenPeer, strategy: str | None
) -> None:
    killed_one_by_one(ours, [(release, strategy)] * 2)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_four_ages_share_with_each_other(ours: OurBroker) -> None:
    """Four versions of JoinGroup, and of what the leader reads of the others and tells them."""
    ages = (
        generations.KAFKA_TOOLS_0_9, KAFKA_4, generations.KAFKA_TOOLS_1, generations.KAFKA_TOOLS_2_8,
    )  # fmt: skip
    killed_one_by_one(ours, [(release, "") for release in ages])
    killed_one_by_one(ours, [(release, "") for release in reversed(ages)])
