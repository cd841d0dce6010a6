"""Scripts about the states of share partitions, as leaders of partitions ask for them."""

from collections.abc import Sequence
from typing import Any

from barnabas.errors import ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol import delete_share_group_state as deleting
from barnabas.protocol import initialize_share_group_state as beginning
from barnabas.protocol import read_share_group_state as reading
from barnabas.protocol import read_share_group_state_summary as summing
from barnabas.protocol import write_share_group_state as writing
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from tests.interop.differential.talk import Talk

AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4
_NOT_LOADED = {
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
}
Returned = tuple[int, int, int, int]
"""First and last offset, their state, and how often they were delivered."""


class Leader:
    """A broker that leads partitions, or claims to."""

    def __init__(self, talk: Talk, group: str, topic_id: bytes) -> None:
        self.talk, self.group, self.topic_id = talk, talk.topic(group), topic_id
        key = f"{self.group}:{uuid_text(topic_id)}:0"
        found = FindCoordinatorRequest(key_type=2, coordinator_keys=[key])
        talk.wait(found, 6, lambda reply: not reply.coordinators[0].error_code)
        self.find()

    def find(self, partition: int = 0) -> None:
        """Wait for who keeps the states of a partition: each may be in another part of the topic.

        Kafka answers before its coordinator has loaded that part.
        """
        self.talk.wait(
            self._sum([partition]),
            1,
            lambda reply: reply.results[0].partitions[0].error_code not in _NOT_LOADED,
        )

    def begin(self, label: str, epoch: int, start: int, partition: int = 0) -> None:
        row = beginning.PartitionData(partition=partition, state_epoch=epoch, start_offset=start)
        topic = beginning.InitializeStateData(topic_id=self.topic_id, partitions=[row])
        asked = beginning.InitializeShareGroupStateRequest(group_id=self.group, topics=[topic])
        self.talk.ask(f"begin: {label}", asked, 0)
        self.look(f"after begin: {label}")

    def read(self, label: str, epoch: int, partition: int = 0) -> None:
        row = reading.PartitionData(partition=partition, leader_epoch=epoch)
        topic = reading.ReadStateData(topic_id=self.topic_id, partitions=[row])
        asked = reading.ReadShareGroupStateRequest(group_id=self.group, topics=[topic])
        self.talk.ask(f"read: {label}", asked, 0)

    def write(
        self,
        label: str,
        *response: Returned,
        epochs: tuple[int, int] = (1, 0),
        start: int = -1,
        **more: Any,
    ) -> None:
        """`epochs` are of the state and of the leader."""
        version = more.pop("version", 1)
        row = writing.PartitionData(
            **{"partition": 0, "delivery_complete_count": 3, **more},
            state_epoch=epochs[0],
            leader_epoch=epochs[1],
            start_offset=start,
            state_batches=[
                writing.StateBatch(
                    first_offset=first, last_offset=last, delivery_state=state, delivery_count=count
                )
                for first, last, state, count in response
            ],
        )
        topic = writing.WriteStateData(topic_id=self.topic_id, partitions=[row])
        asked = writing.WriteShareGroupStateRequest(group_id=self.group, topics=[topic])
        self.talk.ask(f"write: {label}", asked, version)
        self.look(f"after write: {label}")
        self.read(f"after write: {label}", -1)
        self.read(f"after write, as leader: {label}", epochs[1])

    def _sum(self, partitions: Sequence[int]) -> summing.ReadShareGroupStateSummaryRequest:
        rows = [summing.PartitionData(partition=each, leader_epoch=0) for each in partitions]
        topic = summing.ReadStateSummaryData(topic_id=self.topic_id, partitions=rows)
        return summing.ReadShareGroupStateSummaryRequest(group_id=self.group, topics=[topic])

    def look(self, label: str, version: int = 1, partitions: Sequence[int] = (0,)) -> None:
        self.talk.ask(f"{label} in {version}", self._sum(partitions), version)

    def end(self, label: str, partition: int = 0) -> None:
        row = deleting.PartitionData(partition=partition)
        topic = deleting.DeleteStateData(topic_id=self.topic_id, partitions=[row])
        asked = deleting.DeleteShareGroupStateRequest(group_id=self.group, topics=[topic])
        self.talk.ask(f"end: {label}", asked, 0)
        self.look(f"after end: {label}")


def share_states(talk: Talk) -> None:
    """State is returned again, merged with what there was, fenced by epochs, and forgotten."""
    leader = Leader(talk, "group", talk.create("dogs", partitions=2))
    leader.find(1)
    leader.look("nothing", 0, [0, 1])
    leader.look("nothing", 1, [0, 1])
    leader.read("nothing", 0)
    leader.write("nothing", (0, 4, ACKNOWLEDGED, 1), epochs=(0, 0))
    leader.end("nothing")
    leader.begin("where it is not known", 0, -1)
    leader.read("where it is not known", 0)
    leader.begin("at ten", 1, 10)
    leader.begin("the same again", 1, 10)
    leader.begin("elsewhere, in the same epoch", 1, 12)
    leader.begin("in an epoch before", 0, 10)
    leader.begin("at ten again", 2, 10)
    leader.read("without an epoch", -1)
    leader.read("at first", 0)
    leader.write("some", (10, 14, ACKNOWLEDGED, 1), (15, 19, AVAILABLE, 1), epochs=(2, 0))
    leader.write("more often", (12, 16, AVAILABLE, 2), epochs=(2, 0))
    leader.write("less often", (10, 19, ARCHIVED, 1), epochs=(2, 0))
    leader.write("further on", (12, 13, ACKNOWLEDGED, 2), (20, 21, ARCHIVED, 1), epochs=(2, 0))
    leader.write("a start", epochs=(2, 0), start=13)
    leader.write("a start and records", (14, 14, ACKNOWLEDGED, 3), epochs=(2, 0), start=14)
    leader.write("in version 0", (22, 25, AVAILABLE, 1), epochs=(2, 0), version=0)
    leader.read("by the next leader", 5)
    leader.look("the next leader's")
    leader.read("by the leader before", 4)
    leader.write("by the leader before", (26, 27, ACKNOWLEDGED, 1), epochs=(2, 4))
    leader.write("in the epoch before", (26, 27, ACKNOWLEDGED, 1), epochs=(1, 5))
    leader.write("in the next epoch", (26, 27, ACKNOWLEDGED, 1), epochs=(3, 6))
    leader.write("no epochs", (28, 29, ACKNOWLEDGED, 1), epochs=(-1, -1))
    leader.begin("after all that", 4, 3)
    leader.read("after all that", 6)
    leader.end("it")
    leader.read("after the end", 6)
    leader.write("after the end", (26, 27, ACKNOWLEDGED, 1), epochs=(4, 6))


def share_states_elsewhere(talk: Talk) -> None:
    """Partitions, topics and groups that there are not; requests about nothing."""
    leader = Leader(talk, "group", talk.create("dogs"))
    for label, partition in (("partition 7", 7), ("partition -1", -1)):
        leader.find(partition)
        leader.begin(label, 0, 0, partition)
        leader.read(label, 0, partition)
        leader.look(label, 1, [partition])
        leader.end(label, partition)
        leader.write(label, partition=partition)
    for label, topic_id in (("an unknown topic", b"\1" * 16), ("no topic", bytes(16))):
        other = Leader.__new__(Leader)
        other.talk, other.group, other.topic_id = talk, leader.group, topic_id
        other.find()
        other.begin(label, 0, 0)
        other.read(label, 0)
        other.look(label)
        other.end(label)
        other.write(label)
    nobody = Leader.__new__(Leader)
    nobody.talk, nobody.group, nobody.topic_id = talk, "", leader.topic_id
    nobody.begin("no group", 0, 0)
    nobody.read("no group", 0)
    nobody.look("no group")
    nobody.end("no group")
    nobody.write("no group")
    for label, topics in (("no topics", []), ("no partitions", [leader.topic_id])):
        rows = [summing.ReadStateSummaryData(topic_id=each, partitions=[]) for each in topics]
        asked = summing.ReadShareGroupStateSummaryRequest(group_id=leader.group, topics=rows)
        talk.ask(label, asked, 1)


SCENARIOS = (share_states, share_states_elsewhere)
