"""RepeatedAppend: a Produce request for one partition, like the previous one but for its records."""

from typing import NamedTuple

from barnabas.broker.purgatory.pending import Pending, Repeatable
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.codecs.compression import Codec
from barnabas.replication.acknowledgement import ALL


class QueuedAppends(NamedTuple):
    """Appends of one partition that are answered when its replicas in sync have them."""

    answer: PartitionProduceResponse
    """For all of them, should they not be written."""
    role: LeaderRole
    partition: Partition
    bases: list[int]
    end: int
    log_start: int

    def answer_to(self, number: int, code: ErrorCode) -> PartitionProduceResponse:
        """The answer to one of them that is stored here, and not acknowledged."""
        answer = self.partition.appended(self.bases[number], start_offset=self.log_start)
        answer.error_code = code
        return answer

    def ends(self) -> list[int]:
        """Where each ends."""
        return [*self.bases[1:], self.end]


class AppendTraits(NamedTuple):
    """What of a request is the same when it comes again, and how many bytes its records were this time."""

    acks: int
    highest_codec: Codec
    size: int


class RepeatedAppend(Repeatable):
    """Appends further batches to a partition, as long as what the response tells of it is true.

    The outcome is that of the request that was handled just now, and `response` its response, which counts
    when that is there; `size`: the bytes of its records.
    """

    __slots__ = (
        "_acks", "_answer", "_config", "_highest_codec", "_partition", "_replicas", "_role", "_start",
        "response", "size",
    )  # fmt: skip

    def __init__(
        self,
        replicas: ReplicaManager,
        partition: Partition,
        outcome: ProduceResponse | Pending,
        response: ProduceResponse,
        traits: AppendTraits,
    ) -> None:
        super().__init__(outcome)
        self.response = response
        self.size = traits.size
        self._replicas = replicas
        self._partition = partition
        self._config = partition.log.config
        self._start = partition.log.start_offset
        self._role = partition.role
        self._acks = traits.acks
        self._highest_codec = traits.highest_codec
        self._answer = partition.appended(self._start)
        """For all, as long as they can be written: the base offsets are beside it."""

    def again(
        self, view: memoryview, places: list[int]
    ) -> tuple[PartitionProduceResponse | QueuedAppends, list[int], bool] | None:
        """Queue the batches of requests one after the other, as far as possible.

        `places` has where each starts and ends in `view`.
        Returns an answer for all, which counts after `ReplicaManager.write`, the base offset of each that is
        queued, and whether they wait for other replicas, too. None: the first is refused, or its partition is
        not as it was, or not here any more; nothing is done.
        """
        partition, replicas, role = self._partition, self._replicas, self._role
        log = partition.log
        if (
            partition.role is not role
            or log.config is not self._config
            or log.start_offset != self._start
        ):
            return None
        waits = False
        if role is not None and self._acks == ALL:
            if role.refuse_append(ALL):
                return None
            waits = not partition.commits_when_written
        answer = self._answer
        if answer.error_code:
            answer = self._answer = partition.appended(self._start)
        bases = replicas.append_usual(partition, view, places, answer)
        if not bases:
            one = replicas.append_one(
                partition, view[places[0] : places[1]], highest_codec=self._highest_codec
            )
            if one is None:
                return None
            answer, bases = one, [one.base_offset]
        if not waits:
            return answer, bases, False
        assert isinstance(role, LeaderRole)
        queued = QueuedAppends(answer, role, partition, bases, log.end_offset, self._start)
        return queued, bases, True


def repeated_append(
    replicas: ReplicaManager,
    topic: TopicProduceData,
    outcome: ProduceResponse | Pending,
    response: ProduceResponse,
    traits: AppendTraits,
) -> ProduceResponse | Pending | RepeatedAppend:
    """The outcome of a request for this one partition, with what appends to it again if it can.

    It cannot where it was refused, where the broker stamps records with its time, and where the response has
    to wait for a sync alone. `response` is there when the outcome is, which may wait for other replicas.
    """
    answer = response.responses[0].partition_responses[0]
    if answer.error_code or answer.log_append_time_ms >= 0:
        return outcome
    partition = replicas.find_requested(topic.name, bytes(topic.topic_id), answer.index)
    if partition is None:
        return outcome
    if not isinstance(outcome, Pending) and not partition.answers_when_written(traits.acks):
        return outcome
    return RepeatedAppend(replicas, partition, outcome, response, traits)
