"""Share groups are moved by our admin client and command where Kafka's tool and its consumer see it."""

from collections import Counter
from collections.abc import Callable

import pytest

from barnabas import Admin, BrokerError, ErrorCode
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.interop.brokers import InteropBroker
from tests.interop.differential.talk import Talk
from tests.interop.groups.test_groups import EACH, PARTITIONS, fill
from tests.interop.groups.test_share_groups import ALL, OFFSETS, acknowledged, asked, groups, starts
from tests.interop.peers.kafka_tools import run_tool

pytestmark = [pytest.mark.interop, pytest.mark.java]

LAST = 5


def planned(address: str, group: str, topic: str, how: str) -> list[list[str]]:
    """Topics, partitions and offsets as Kafka's tool would have the group go on."""
    reset = ("--reset-offsets", "--group", group, "--topic", topic, how, "--dry-run")
    printed = run_tool(*OFFSETS, address, *reset)
    return sorted(line.split()[1:4] for line in printed.splitlines() if line.startswith(group))


def ours(address: str, group: str, *how: str) -> list[list[str]]:
    """The same by our command."""
    done = groups(address, "reset", group, *how)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return [[topic, number, new] for topic, number, _, new, _ in rows]


def member(talk: Talk, group: str, epoch: int, topic: str) -> None:
    beat = ShareGroupHeartbeatRequest(
        group_id=group,
        member_id="somebody",
        member_epoch=epoch,
        subscribed_topic_names=[topic] if epoch == 0 else None,
    )
    talk.wait(beat, 1, lambda response: not response.error_code)


def test_who_was_moved_goes_on_there(group_broker: InteropBroker) -> None:
    topic, address = group_broker.new_topic(partitions=PARTITIONS), group_broker.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    begin = EACH - LAST
    with Admin(bootstrap_servers=address) as admin:
        # Where there is no group yet, it is made.
        admin.alter_share_group_offsets(group, {(topic, one): begin for one in range(PARTITIONS)})
        assert starts(address, group) == dict.fromkeys(range(PARTITIONS), (str(begin), str(LAST)))
        read = acknowledged(run_tool(*asked(address, group, topic, LAST * PARTITIONS)))
        last = range(begin, EACH)
        assert read == Counter((one, at) for one in range(PARTITIONS) for at in last)
        admin.alter_share_group_offsets(group, {(topic, 0): 3})
        assert starts(address, group)[0] == ("3", str(EACH - 3))
        admin.delete_share_group_offsets(group, [topic])
        assert starts(address, group) == {}
        refused: list[tuple[Callable[[], object], ErrorCode]] = [
            (
                lambda: admin.alter_share_group_offsets(group, {(topic, PARTITIONS): 1}),
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ),
            (
                lambda: admin.delete_share_group_offsets(group, [topic]),
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ),
            (
                lambda: admin.delete_share_group_offsets(f"no-{group}", [topic]),
                ErrorCode.GROUP_ID_NOT_FOUND,
            ),
        ]
        for call, code in refused:
            with pytest.raises(BrokerError) as raised:
                call()
            assert raised.value.code is code


def test_a_group_that_has_members_stays_where_it_is(group_broker: InteropBroker) -> None:
    topic, address = group_broker.new_topic(partitions=1), group_broker.bootstrap_servers
    group, talk = f"of-{topic}", Talk(address, "share")
    member(talk, group, 0, topic)
    with Admin(bootstrap_servers=address) as admin:
        calls: list[Callable[[], object]] = [
            lambda: admin.alter_share_group_offsets(group, {(topic, 0): 0}),
            lambda: admin.delete_share_group_offsets(group, [topic]),
        ]
        for call in calls:
            with pytest.raises(BrokerError) as raised:
                call()
            assert raised.value.code is ErrorCode.NON_EMPTY_GROUP
        for move in (
            ("reset", group, "-t", topic, "--to", "0", "--execute"),
            ("delete-offsets", group, "-t", topic, "--yes"),
        ):
            printed = groups(address, *move)
            why = f"barnabas: {group} is Stable with 1 member: end them first\n"
            assert (printed.returncode, printed.stderr) == (1, why)
    member(talk, group, -1, topic)
    assert ours(address, group, "-t", topic, "--to", "0", "--execute") == [[topic, "0", "0"]]


def test_our_command_plans_as_kafkas_tool_does(group_broker: InteropBroker) -> None:
    topic, address = group_broker.new_topic(partitions=PARTITIONS), group_broker.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    for to, how in (("earliest", "--to-earliest"), ("latest", "--to-latest")):
        plan = ours(address, group, "-t", topic, "--to", to, "--share")
        assert plan == planned(address, group, topic, how)
    plan = ours(address, group, "-t", topic, "--to", "7", "--share", "--execute")
    assert [row[2] for row in plan] == ["7"] * PARTITIONS
    assert starts(address, group) == dict.fromkeys(range(PARTITIONS), ("7", str(EACH - 7)))
    assert ours(address, group, "--all-topics", "--by", "-3", "--execute") == [
        [topic, str(one), "4"] for one in range(PARTITIONS)
    ]
    assert starts(address, group) == dict.fromkeys(range(PARTITIONS), ("4", str(EACH - 4)))
    left = acknowledged(run_tool(*asked(address, group, topic, ALL - 4 * PARTITIONS)))
    assert left == Counter((one, at) for one in range(PARTITIONS) for at in range(4, EACH))
    assert groups(address, "delete-offsets", group, "-t", topic, "--yes").returncode == 0
    assert starts(address, group) == {}
