"""AppendAgain: a Produce request for one partition, of which only the records will be others."""

from barnabas.broker.purgatory.purgatory import Repeatable
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.codecs.compression import Codec
from barnabas.replication.acknowledgement import ALL


class AppendAgain(Repeatable):
    """Appends further batches to a partition, as long as what the response tells of it is true.

    The outcome is the response to the request that was answered just now.
    """

    __slots__ = (
        "_answer", "_config", "_highest_codec", "_is_alone", "_partition", "_replicas", "_role", "_start",
    )  # fmt: skip

    def __init__(
        self,
        replicas: ReplicaManager,
        partition: Partition,
        response: ProduceResponse,
        *,
        acks: int,
        highest_codec: Codec,
    ) -> None:
        super().__init__(response)
        self._replicas = replicas
        self._partition = partition
        self._config = partition.log.config
        self._start = partition.log.start_offset
        self._role = partition.role
        self._is_alone = self._role is not None and acks == ALL
        """Whether the response says that all replicas have the batch, of which there is one."""
        self._highest_codec = highest_codec
        self._answer = partition.appended(self._start)
        """For all, as long as they can be written: the base offsets are beside it."""

    def again(
        self, view: memoryview, places: list[int]
    ) -> tuple[PartitionProduceResponse, list[int]] | None:
        """Queue the batches of requests one behind the other, as far as they can be.

        `places` has where each starts and ends in `view`.
        Returns an answer for all, which counts after `ReplicaManager.write`, and the base offset of
        each that is queued. None: the first is refused, or its partition is not as it was, or not here
        any more; nothing is done.
        """
        partition, replicas = self._partition, self._replicas
        log = partition.log
        if (
            partition.role is not self._role
            or log.config is not self._config
            or log.start_offset != self._start
            or (self._is_alone and not partition.counts_when_written)
        ):
            return None
        answer = self._answer
        if answer.error_code:
            answer = self._answer = partition.appended(self._start)
        bases = replicas.append_usual(partition, view, places, answer)
        if bases:
            return answer, bases
        one = replicas.append_one(
            partition, view[places[0] : places[1]], highest_codec=self._highest_codec
        )
        return None if one is None else (one, [one.base_offset])


def repeated_append(
    replicas: ReplicaManager,
    topic: TopicProduceData,
    response: ProduceResponse,
    *,
    acks: int,
    highest_codec: Codec,
) -> ProduceResponse | AppendAgain:
    """The response to a request for this one partition, with what appends to it again if it can.

    It cannot where it was refused, where the broker stamps records with its time, and where the response has
    to wait for more than the write: a sync, or other replicas.
    """
    answer = response.responses[0].partition_responses[0]
    if answer.error_code or answer.log_append_time_ms >= 0:
        return response
    partition = replicas.find_requested(topic.name, bytes(topic.topic_id), answer.index)
    if partition is None or not partition.answers_when_written(acks):
        return response
    return AppendAgain(replicas, partition, response, acks=acks, highest_codec=highest_codec)
