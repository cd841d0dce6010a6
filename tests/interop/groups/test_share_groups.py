"""Share groups (KIP-932) by Java's share consumer and Kafka's own tool, killed, over a killed broker."""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from barnabas import Admin, Producer, Resource
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.interop.brokers import InteropBroker, wait_for
from tests.interop.differential.talk import Talk
from tests.interop.group_members import Place
from tests.interop.groups.test_groups import EACH, PARTITIONS, SECONDS, fill, new_topic
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.child import Child
from tests.interop.peers.generations import KAFKA_TOOLS_4_1, KAFKA_TOOLS_4_2
from tests.interop.peers.kafka_tools import command_of, run_tool, tool_command
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java]

ALL = EACH * PARTITIONS
QUICK = {
    "group.share.heartbeat.interval.ms": "300",
    "group.share.min.heartbeat.interval.ms": "300",
    "group.share.session.timeout.ms": "6000",
    "group.share.min.session.timeout.ms": "6000",
    "group.share.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "4",
    "share.coordinator.state.topic.num.partitions": "4",
}
OFFSETS = ("consumer.group.ShareGroupCommand", "--bootstrap-server")


@pytest.fixture(scope="module")
def ours() -> Iterator[OurBroker]:
    with OurBroker(properties=QUICK) as broker:
        yield broker


def asked(address: str, group: str, topic: str, most: int) -> list[str]:
    return [
        "VerifiableShareConsumer", "--bootstrap-server", address, "--group-id", group,
        "--topic", topic, "--max-messages", str(most), "--acknowledgement-mode", "sync",
        "--offset-reset-strategy", "earliest",
    ]  # fmt: skip


def acknowledged(printed: str) -> Counter[Place]:
    """Partition and offset of all that was acknowledged."""
    return offsets_in(printed, "offsets_acknowledged")


def offsets_in(printed: str, of: str) -> Counter[Place]:
    """Partition and offset of all that such events tell of."""
    events = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return Counter(
        (one["partition"], offset)
        for event in events
        if event["name"] == of and event.get("success", True)
        for one in event["partitions"]
        for offset in one["offsets"]
    )


def places(first: int = 0, count: int = EACH) -> Counter[Place]:
    ends = range(first, first + count)
    return Counter((one, offset) for one in range(PARTITIONS) for offset in ends)


def starts(address: str, group: str) -> dict[int, tuple[str, str]]:
    """Start offset and lag of each partition, as Kafka's tool tells them."""
    output = run_tool(*OFFSETS, address, "--describe", "--group", group)
    rows = [line.split() for line in output.splitlines() if line.startswith(group)]
    return {int(row[2]): (row[3], row[4]) for row in rows}


def test_records_go_to_one_member_each_and_stay_done(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    assert acknowledged(run_tool(*asked(address, group, topic, ALL))) == places()
    assert starts(address, group) == dict.fromkeys(range(PARTITIONS), (str(EACH), "0"))
    ours.child.kill()
    ours.start()
    fill(address, topic)
    assert acknowledged(run_tool(*asked(address, group, topic, ALL))) == places(EACH)


def test_a_killed_member_leaves_its_partitions_to_the_others(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    with subprocess.Popen(
        tool_command(*asked(address, group, topic, -1)), stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        printed = ""
        while acknowledged(printed) != places():
            printed += other.stdout.readline()
        other.kill()
    fill(address, topic)
    assert acknowledged(run_tool(*asked(address, group, topic, ALL))) == places(EACH)


class Sharer:
    """A member that runs until it is killed."""

    def __init__(self, release: MavenPeer, address: str, group: str, topic: str) -> None:
        program, *options = asked(address, group, topic, -1)
        try:
            command = command_of(release, f"org.apache.kafka.tools.{program}", *options)
        except PeerMissing as missing:
            give_up(missing)
        self._folder = tempfile.TemporaryDirectory(prefix="sharer-")
        self._child = Child(command, Path(self._folder.name) / "output")

    def reported(self, of: str = "offsets_acknowledged") -> Counter[Place]:
        """What its events tell of; it may be amid a line."""
        assert self._child.alive(), self._child.tail()
        return offsets_in(self._child.log.read_text().rpartition("\n")[0], of)

    def kill(self) -> tuple[Counter[Place], Counter[Place]]:
        """Kill it with SIGKILL; returns what it reported as received, and as acknowledged."""
        self._child.kill()
        reported = self._child.log.read_text().rpartition("\n")[0]
        return offsets_in(reported, "records_consumed"), acknowledged(reported)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._folder.cleanup()


def is_done(address: str, group: str) -> bool:
    """Whether nothing is left; where the group starts says less, as Kafka may leave that where it was."""
    rows = [row.split("\t") for row in groups(address, "describe", group).stdout.splitlines()]
    return [row[4] for row in rows] == ["0"] * PARTITIONS


@pytest.mark.long
@pytest.mark.parametrize(
    "release", [KAFKA_TOOLS_4_1, KAFKA_TOOLS_4_2, KAFKA_4], ids=lambda one: one.version
)
def test_what_a_killed_member_had_in_hand_goes_to_the_other(
    ours: OurBroker, release: MavenPeer
) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    place = release, address, f"of-{topic}", topic
    with Sharer(*place) as stays, Sharer(*place) as goes:
        end = 0
        deadline = time.monotonic() + SECONDS
        while not (stays.reported() and goes.reported()):
            assert time.monotonic() < deadline, "one of them gets nothing"
            fill(address, topic)
            end += EACH
            time.sleep(0.5)
        fill(address, topic)
        got, reported = goes.kill()
        fill(address, topic)
        end += 2 * EACH
        wait_for(lambda: is_done(address, place[2]))
        wait_for(lambda: stays.reported() | got >= places(0, end))
        assert set((stays.reported() + reported).values()) == {1}, "was done twice"


@pytest.mark.long
def test_the_tool_lists_moves_and_deletes(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    run_tool(*asked(address, group, topic, ALL))
    assert group in run_tool(*OFFSETS, address, "--list").split()
    run_tool(
        *OFFSETS, address, "--reset-offsets", "--group", group, "--topic", topic,
        "--to-earliest", "--execute",
    )  # fmt: skip
    assert starts(address, group) == dict.fromkeys(range(PARTITIONS), ("0", str(EACH)))
    assert acknowledged(run_tool(*asked(address, group, topic, ALL))) == places()
    run_tool(*OFFSETS, address, "--delete-offsets", "--group", group, "--topic", topic)
    assert starts(address, group) == {}
    run_tool(*OFFSETS, address, "--delete", "--group", group)
    assert group not in run_tool(*OFFSETS, address, "--list").split()


@pytest.mark.long
def test_a_group_may_have_committed_records_only(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=1), broker.bootstrap_servers
    group = f"of-{topic}"
    with Admin(bootstrap_servers=address) as admin:
        admin.alter_configs(Resource.GROUP, group, {"share.isolation.level": "read_committed"})
    with Producer(bootstrap_servers=address, transactional_id=group) as producer:
        producer.init_transactions()
        for is_kept in (True, False, False, True):
            producer.begin_transaction()
            for _ in range(4):
                producer.send(topic, b"x", partition=0)
            if is_kept:
                producer.commit_transaction()
            else:
                producer.flush()
                producer.abort_transaction()
    markers = {4, 9, 14, 19}  # Java says of them that they are gaps.
    done = acknowledged(run_tool(*asked(address, group, topic, 8)))
    assert done == Counter((0, each) for each in {0, 1, 2, 3, 15, 16, 17, 18} | markers)


def groups(address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "barnabas", "groups", *arguments, "-b", address]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_our_command_tells_the_lag_that_kafkas_tool_tells(group_broker: InteropBroker) -> None:
    topic, address = group_broker.new_topic(partitions=PARTITIONS), group_broker.bootstrap_servers
    group = f"of-{topic}"
    fill(address, topic)
    assert acknowledged(run_tool(*asked(address, group, topic, ALL))) == places()
    fill(address, topic)
    output = starts(address, group)
    # Kafka may leave the start where it was: what is done with behind it counts all the same.
    assert {lag for _, lag in output.values()} == {str(EACH)}
    rows = [line.split("\t") for line in groups(address, "describe", group).stdout.splitlines()]
    assert {int(row[1]): (row[2], row[4]) for row in rows} == output
    listed = [line.split("\t") for line in groups(address, "list", "--lag").stdout.splitlines()]
    assert [row[6] for row in listed if row[0] == group] == [str(ALL)]


def test_our_command_says_what_it_is_and_leaves_no_twin(ours: OurBroker) -> None:
    topic, address = new_topic(ours), ours.bootstrap_servers
    group, talk = f"of-{topic}", Talk(address, "share")
    for epoch in (0, -1):
        beat = ShareGroupHeartbeatRequest(
            group_id=group,
            member_id="somebody",
            member_epoch=epoch,
            subscribed_topic_names=None if epoch else [topic],
        )
        talk.wait(beat, 1, lambda reported: not reported.error_code)
    described = json.loads(groups(address, "describe", group, "--json").stdout)
    assert (described["type"], described["state"], described["members"]) == ("share", "Empty", [])
    moved = groups(address, "reset", group, "-t", topic, "--to", "0", "--execute")
    assert (moved.returncode, moved.stderr) == (0, "")
    listed = [line.split("\t") for line in groups(address, "list").stdout.splitlines()]
    assert [row[:3] for row in listed if row[0] == group] == [[group, "share", "Empty"]]
    assert groups(address, "delete", group, "--yes").returncode == 0
    assert group not in groups(address, "list").stdout
