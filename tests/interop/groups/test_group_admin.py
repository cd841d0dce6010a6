"""What our admin client and `barnabas groups` tell and change of groups, beside Kafka's own tool."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from barnabas import Admin, BrokerError, ErrorCode, TopicPartition
from tests.interop.brokers import InteropBroker
from tests.interop.group_members import ConfluentMember, Member, OurMember
from tests.interop.groups.test_groups import EACH, PARTITIONS, fill, read_until, share
from tests.interop.peers.kafka_tools import run_tool

pytestmark = [pytest.mark.interop, pytest.mark.java]


@pytest.fixture
def broker(group_broker: InteropBroker) -> InteropBroker:
    return group_broker


@pytest.fixture
def admin(broker: InteropBroker) -> Iterator[Admin]:
    with Admin({"bootstrap.servers": broker.bootstrap_servers}) as made:
        yield made


def ours(address: str, *arguments: str) -> list[list[str]]:
    command = [sys.executable, "-m", "barnabas", "groups", *arguments, "-b", address]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("\t") for line in done.stdout.splitlines()]


def theirs(address: str, group: str, *arguments: str) -> list[list[str]]:
    printed = run_tool("consumer.group.ConsumerGroupCommand", "--bootstrap-server", address,
                    "--group", group, *arguments)  # fmt: skip
    return [line.split() for line in printed.splitlines() if line.startswith(group)]


def described_by_both(address: str, group: str) -> list[list[str]]:
    """Positions, ends, lags and owners as our command says them; Kafka's tool must say the same."""
    mine = [[each or "-" for each in row] for row in ours(address, "describe", group)]
    printed = sorted(row[1:9] for row in theirs(address, group, "--describe"))
    assert mine == printed
    return mine


def reset_by_both(
    address: str, group: str, topic: str, mine: tuple[str, ...], other: tuple[str, ...]
) -> list[list[str]]:
    """The plan of both without doing it."""
    rows = [[row[0], row[1], row[3]] for row in ours(address, "reset", group, "-t", topic, *mine)]
    printed = theirs(address, group, "--reset-offsets", "--topic", topic, *other, "--dry-run")
    assert rows == sorted(row[1:4] for row in printed)
    return rows


def test_a_group_is_described_as_by_kafkas_tool(
    broker: InteropBroker,
    admin: Admin,
) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    group = f"of-{topic}"
    members: list[Member] = [
        ConfluentMember(address, group, topic, partition_assignment_strategy="range"),
        OurMember(address, group, topic, partition_assignment_strategy="range"),
    ]
    share(members)  # What was read before that would be read again, and have no position yet.
    fill(address, topic)
    read_until(members, lambda read: read.total() >= EACH * PARTITIONS)
    for one in members:
        one.commit()
    fill(address, topic)
    rows = described_by_both(address, group)
    assert [row[4] for row in rows] == [str(EACH)] * PARTITIONS
    found = admin.describe_groups([group])[group]
    assert (found.state, found.assignor, len(found.members)) == ("Stable", "range", 2)
    with pytest.raises(BrokerError) as raised:
        admin.alter_group_offsets(group, {(topic, 0): 1})
    assert raised.value.code is ErrorCode.UNKNOWN_MEMBER_ID
    with pytest.raises(BrokerError) as raised:
        admin.delete_groups([group])
    assert raised.value.code is ErrorCode.NON_EMPTY_GROUP
    with pytest.raises(BrokerError) as raised:
        admin.delete_group_offsets(group, [(topic, 0)])
    assert raised.value.code is ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    line = next(row for row in ours(address, "list", "--lag") if row[0] == group)
    assert [line[1].lower(), *line[2:]] == [
        "classic", "Stable", "consumer", "range", "2", str(EACH * PARTITIONS)
    ]  # fmt: skip
    for one in members:
        one.close()
    assert described_by_both(address, group) == [[*row[:5], "-", "-", "-"] for row in rows]


@pytest.mark.long
def test_a_reset_is_planned_as_by_kafkas_tool_and_done(
    broker: InteropBroker,
    admin: Admin,
) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    admin.alter_group_offsets(group, {(topic, one): 10 * one for one in range(PARTITIONS)})
    for mine, other in [
        (("--to", "earliest"), ("--to-earliest",)),
        (("--to", "latest"), ("--to-latest",)),
        (("--to", "current"), ("--to-current",)),
        (("--to", "35"), ("--to-offset", "35")),
        (("--to", "99999"), ("--to-offset", "99999")),
        (("--by", "-15"), ("--shift-by", "-15")),
        (("--by", "33"), ("--shift-by", "33")),
        (("--to", "2013-01-01T00:00:00+00:00"), ("--to-datetime", "2013-01-01T00:00:00.000")),
        (("--to", "2999-01-01T00:00:00+00:00"), ("--to-datetime", "2999-01-01T00:00:00.000")),
    ]:
        reset_by_both(address, group, topic, mine, other)
    wanted = ours(address, "reset", group, "-t", topic, "--by", "7", "--execute")
    places = [TopicPartition(topic, one) for one in range(PARTITIONS)]
    found = admin.list_group_offsets(group)
    assert {where: found[where].offset for where in places} == {
        where: 10 * where.partition + 7 for where in places
    }
    assert [row[3] for row in wanted] == ["7", "17", "27", "37"]


def test_groups_come_and_go(broker: InteropBroker, admin: Admin) -> None:
    topic, address = broker.new_topic(partitions=PARTITIONS), broker.bootstrap_servers
    group = f"of-{topic}"
    static = OurMember(address, group, topic, group_instance_id="one")
    share([static])
    listed = {row.group_id: row for row in admin.list_groups()}
    assert (listed[group].state, listed[group].kind.lower()) == ("Stable", "classic")
    static.close()
    assert len(admin.describe_groups([group])[group].members) == 1, "it is expected back"
    admin.remove_members(group, ["one"])
    assert admin.describe_groups([group])[group].state == "Empty"
    admin.alter_group_offsets(group, {(topic, 0): 3, (topic, 1): 4})
    admin.delete_group_offsets(group, [(topic, 0)])
    assert set(admin.list_group_offsets(group)) == {TopicPartition(topic, 1)}
    assert set(admin.list_group_offsets(group, [(topic, 0), (topic, 1)])) == {(topic, 1)}
    admin.delete_groups([group])
    assert group not in {row.group_id for row in admin.list_groups()}
    with pytest.raises(BrokerError) as raised:
        admin.describe_groups([group])
    assert raised.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    document = json.loads(ours(address, "list", "--json")[0][0])
    assert group not in {row["group"] for row in document}
