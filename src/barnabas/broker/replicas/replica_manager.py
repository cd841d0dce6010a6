"""ReplicaManager: all partitions of this broker, and the requests for their records."""

from collections.abc import Generator, Iterable, Mapping
from types import MappingProxyType

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.slow_requests import MANY_PARTITIONS
from barnabas.broker.replicas.append_errors import internal, refused
from barnabas.broker.replicas.append_queue import AppendQueue
from barnabas.broker.replicas.fetch_rows import MANY_LISTED, MOST_LISTED, Fetched, Read, failed
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.reading import ReadOne, read_records
from barnabas.broker.replicas.role import OFFLINE, keep_watermark
from barnabas.broker.replicas.rotated_reads import RotatedReads
from barnabas.broker.replicas.slow_rolls import ROLLS_IN_STEP, rolled
from barnabas.errors import ErrorCode
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.ports import Clock
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from barnabas.records.batches.unpacking import REQUEST_MOST, Unpacking
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec
from barnabas.wire.schema import maker

_NOTHING_REFUSED: Mapping[int, PartitionProduceResponse] = MappingProxyType({})


_topic_response = maker(TopicProduceResponse)
_response = maker(ProduceResponse)


class ReplicaManager(AppendQueue):
    """The partitions with their appends and reads. For one thread. Opens and deletes no log."""

    __slots__ = ("_unpacking", "read_each")

    def __init__(self, clock: Clock, purgatory: Purgatory) -> None:
        super().__init__(clock, purgatory)
        self.read_each = RotatedReads(self.read).read
        self._unpacking = Unpacking(REQUEST_MOST)

    def lead(self, log: PartitionLog, leader_epoch: int) -> Partition:
        """Serve a log as the leader of its partition, in place of one that is offline."""
        topic, index = log.topic_partition
        if (before := self._by_name.get((topic, index))) is not None:
            self._purgatory.happened(before, -1)
        partition = Partition(log, leader_epoch)
        self._by_name[topic, index] = self._by_id[log.topic_id, index] = partition
        return partition

    def host(self, log: PartitionLog) -> Partition:
        """Have a log as one of several replicas, offline until it gets another role."""
        topic, index = log.topic_partition
        partition = self._by_name.get((topic, index))
        if partition is None or partition.log is not log:
            partition = Partition(log, -1, OFFLINE)
            self._by_name[topic, index] = self._by_id[log.topic_id, index] = partition
        self.end_role(partition)
        return partition

    def end_role(self, partition: Partition) -> None:
        """Take a partition offline: write its queued records, and complete the requests that wait for it."""
        self.write()
        if partition.role is not None:
            partition.role.end()
        partition.role = OFFLINE
        partition.log.on_counted = keep_watermark
        partition.give_up_uncommitted()
        self._purgatory.happened(partition, -1)

    def leave_one(self, topic: str, index: int) -> PartitionLog | None:
        """Stop serving a partition, and complete the requests that wait for it. Returns its open log."""
        partition = self._by_name.pop((topic, index), None)
        if partition is None:
            return None
        self._by_id.pop((partition.log.topic_id, index), None)
        self.end_role(partition)
        partition.log.recovered_watermark = partition.log.high_watermark
        return partition.log

    def leave(self, topic: str) -> list[PartitionLog]:
        """Stop serving a topic, and complete the requests that wait for it. Returns its open logs."""
        left = [one for (name, _), one in self._by_name.items() if name == topic]
        for partition in left:
            _, index = partition.log.topic_partition
            del self._by_name[topic, index], self._by_id[partition.log.topic_id, index]
            self._dirty.pop(partition, None)
            self._own.pop(partition, None)
            partition.role = OFFLINE
            self._purgatory.happened(partition, -1)
        return [partition.log for partition in left]

    def append(
        self,
        request: ProduceRequest,
        refusals: Mapping[int, PartitionProduceResponse] = _NOTHING_REFUSED,
        *,
        highest_codec: Codec = HIGHEST_CODEC,
        message_sets: bool = False,
        to_internal: bool = False,
    ) -> Generator[int, Mapping[int, PartitionProduceResponse] | None, ProduceResponse]:
        """Queue record sets; the response, in the order of the request, counts after `write`.

        Where records begin many segments it yields after some, when all so far is written: the place of
        the first record set that is not read yet. It may be sent other `refusals` for the rest.

        `write` may still make errors of answers in it, where the disk fails. `refusals`: answers that
        are there already, by their place. With a transactional id records may be of a transaction,
        of which the caller knows that it is open. `highest_codec`: the newest that the client knows.
        `message_sets`: whether it may send messages of magic 0 and 1.
        `to_internal`: topics of coordinators are taken too.
        """
        now_ms = self._clock.time_ms()
        number, rolls = -1, 0
        take = Partition.append_set if message_sets else Partition.append
        unpacking = self._unpacking
        unpacking.begin()
        responses: list[TopicProduceResponse] = []
        for asked in request.topic_data:
            topic, topic_id = asked.name, asked.topic_id
            answers: list[PartitionProduceResponse] = []
            for one in asked.partition_data:
                number += 1
                if refusals and number in refusals:
                    answers.append(refusals[number])
                    continue
                index = one.index
                partition = self.find_requested(topic, topic_id, index)
                if partition is None:
                    answers.append(refused(index, self.why_missing(topic, topic_id)))
                    continue
                if partition.is_internal or partition.role is not None:
                    refusal = _refusal(partition, request.acks, to_internal=to_internal)
                    if refusal is not None:
                        answers.append(refusal)
                        continue
                answer = take(
                    partition,
                    one.records,  # type: ignore[arg-type]  # as read, a view
                    now_ms,
                    highest_codec=highest_codec,
                    in_transaction=request.transactional_id is not None,
                    unpacking=unpacking,
                )
                answers.append(answer)
                rolls += self._rolled_by(partition, answer)
                if rolls == ROLLS_IN_STEP:
                    rolls = 0
                    self._end_step()
                    refusals = (yield number + 1) or refusals
                    now_ms = self._clock.time_ms()
            if answers:
                responses.append(
                    _topic_response(name=topic, topic_id=topic_id, partition_responses=answers)
                )
        if unpacking.is_much or number > MANY_PARTITIONS:
            self.on_slow()
        return _response(responses=responses)

    def _rolled_by(self, partition: Partition, answer: PartitionProduceResponse) -> bool:
        """Have what was taken written; whether it began a segment."""
        if answer.error_code:
            return False
        self._await_write(partition, answer)
        return rolled(partition, answer)

    def _end_step(self) -> None:
        """Let other requests be handled before the current one continues."""
        self._unpacking = Unpacking(REQUEST_MOST)
        self.write()
        self.on_slow()

    def append_one(
        self, partition: Partition, records: memoryview, *, highest_codec: Codec
    ) -> PartitionProduceResponse | None:
        """Queue the batch of a request for one partition; None: nothing is done.

        It is refused, or may have to wait for another turn: it may roll, or the one before unpacked much.
        """
        unpacking = self._unpacking
        was_much = unpacking.is_much
        if was_much or partition.log.config.rolls_often:
            return None
        unpacking.begin()
        now_ms = self._clock.time_ms()
        answer = partition.append(records, now_ms, highest_codec=highest_codec, unpacking=unpacking)
        if answer.error_code:
            return None
        self._await_write(partition, answer)
        if unpacking.is_much:
            self.on_slow()
        return answer

    def append_usual(
        self,
        partition: Partition,
        view: memoryview,
        places: list[int],
        answer: PartitionProduceResponse,
    ) -> list[int]:
        """Queue batches, as `Partition.append_usual`; `answer` is for all of them, and counts after `write`."""
        bases = partition.append_usual(view, places, self._clock.time_ms())
        if bases:
            self._await_write(partition, answer)
        return bases

    def append_messages(
        self, partition: Partition, messages: memoryview, unpacking: Unpacking | None = None, *,
        rolls: bool = True,
    ) -> PartitionProduceResponse:  # fmt: skip
        """Queue messages of Kafka 0.7; the answer counts after `write`. Without `rolls` no segment begins."""
        # Imported late: most brokers have no such topic.
        from barnabas.broker.replicas.messages07 import append_messages

        now_ms = self._clock.time_ms()
        answer = append_messages(partition, messages, now_ms, unpacking, rolls=rolls)
        if not answer.error_code:
            self._await_write(partition, answer)
        return answer

    def read(
        self,
        reads: Iterable[Read],
        max_bytes: int,
        read_one: ReadOne = read_records,
        *,
        each_whole: bool = False,
    ) -> list[Fetched]:
        """Read partitions in order until `max_bytes` are planned.

        The first batch found comes whole, so that a reader always makes progress (KIP-74); with
        `each_whole` that of each partition does. What was appended before is read too, also where it
        shares a readiness event with this. `read_one` reads each partition. `MOST_LISTED` is
        a limit like `max_bytes`.
        """
        if self._dirty:
            self.write()
        fetched: list[Fetched] = []
        left = max_bytes
        min_one = True
        listed = 0
        for read in reads:
            topic, topic_id, asked = read
            most = min(left, asked.partition_max_bytes)
            partition = self.find_requested(topic, topic_id, asked.partition)
            if partition is None:
                fetched.append(failed(read, self.why_missing(topic, topic_id)))
                continue
            got = read_one(partition, read, most, min_one=min_one)
            size = len(got.data.records or b"")
            if size:
                left -= size
                min_one = each_whole and left > 0
                if got.data.aborted_transactions:
                    listed += len(got.data.aborted_transactions)
                    left = left if listed < MOST_LISTED else 0
            fetched.append(got)
        if listed >= MANY_LISTED:
            self.on_slow()
        return fetched


def _refusal(
    partition: Partition, acks: int, *, to_internal: bool
) -> PartitionProduceResponse | None:
    """Why a partition takes no records of clients, or None."""
    if partition.is_internal and not to_internal:
        return internal(partition.index)
    code = ErrorCode.NONE if partition.role is None else partition.role.refuse_append(acks)
    return refused(partition.index, code) if code else None
