"""Watch: looks into all brokers between two events: what must hold at every moment.

- Below the high watermarks all logs are the same, byte for byte, for ever: `Committed`.
- A leader epoch has one leader, a controller epoch one controller, and no broker goes back to an older one.
- A replica in sync that runs has all that is committed, so that it may lead.
- A partition's leader comes from the replicas in sync.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.replicas.partition import Partition
from barnabas.cluster.image import NO_LEADER, PartitionState
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.batches.batch import CONTROL, TRANSACTIONAL, read_header
from barnabas.records.batches.control import read_marker
from barnabas.types import TopicPartition
from barnabas.wire.send import FileSlice
from sim.events import Place, Violation

_READ_BYTES = 1 << 20
_OVERHEAD = 12
"""Bytes of a batch before those that its length counts."""
_LENGTH_AT = 8


class Life(NamedTuple):
    """A broker from one start to its end."""

    node_id: int
    start: int


class Batch(NamedTuple):
    """One batch as it is in a log, and the offset behind it."""

    data: bytes
    next_offset: int


def batches(log: PartitionLog, offset: int, end: int) -> Iterator[tuple[int, Batch]]:
    """The batches of a log in [offset, end), by their base offsets."""
    while offset < end:
        found = log.read(offset, _READ_BYTES, max_offset=end, min_one=True).records
        if not isinstance(found, FileSlice):
            raise Violation(f"{log.topic_partition} has nothing at {offset}, of {end}")
        data = bytes(found.read())
        at = 0
        while at + _OVERHEAD <= len(data) and offset < end:
            size = _OVERHEAD + int.from_bytes(data[at + _LENGTH_AT : at + _OVERHEAD], "big")
            if at + size > len(data):
                break
            one = data[at : at + size]
            header = read_header(one)
            offset = header.base_offset + header.last_offset_delta + 1
            yield header.base_offset, Batch(one, offset)
            at += size
        if not at:
            raise Violation(f"{log.topic_partition} has no whole batch at {offset}")


def aborted_in(found: Mapping[int, Batch]) -> list[tuple[int, int]]:
    """The aborted transactions of a log by their markers: producer ids and first offsets."""
    begun: dict[int, int] = {}
    aborted = []
    for base in sorted(found):
        header = read_header(found[base].data)
        marker = read_marker(found[base].data) if header.attributes & CONTROL else None
        if marker is None and header.attributes & TRANSACTIONAL:
            begun.setdefault(header.producer_id, base)
        elif marker is not None:
            first = begun.pop(header.producer_id, None)
            if not marker.committed and first is not None:
                aborted.append((header.producer_id, first))
    if begun:
        raise Violation(f"transactions of {begun} have no end")
    return aborted


class Committed:
    """What was below the high watermark of any broker at any time, of one partition."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.batches: dict[int, Batch] = {}
        self.end = 0
        """Behind all of it."""
        self._ends: dict[Life, tuple[PartitionLog, int]] = {}
        """The log of each broker, and how far it was compared: one that moved away and back has another."""

    def look(self, life: Life, log: PartitionLog) -> None:
        """Compare what has been committed since the last look."""
        known, done = self._ends.get(life, (log, log.start_offset))
        if known is not log:
            done = log.start_offset
        if log.written_end < done:
            raise Violation(
                f"{self._place}: broker {life.node_id} cut its log to {log.written_end}, "
                f"and {done} was committed"
            )
        for base, batch in batches(log, done, log.high_watermark):
            if self.batches.setdefault(base, batch) != batch:
                raise Violation(
                    f"{self._place} at {base}: broker {life.node_id} has committed another batch "
                    f"than was committed before: {batch.data!r}, {self.batches[base].data!r}"
                )
            self._ends[life] = log, batch.next_offset
            self.end = max(self.end, batch.next_offset)

    def compare_whole(self, node_id: int, log: PartitionLog) -> None:
        """A log when all is quiet: it has all that was ever committed, and no more."""
        found = dict(batches(log, log.start_offset, log.written_end))
        if found != self.batches:
            other = sorted({*found} ^ {*self.batches})
            raise Violation(f"{self._place}: the log of broker {node_id} differs at {other[:9]}")


class Watch:
    """All that brokers and the registry ever showed."""

    def __init__(self, places: tuple[Place, ...], unclean_places: tuple[Place, ...]) -> None:
        """What is committed in `unclean_places` may be lost again."""
        self.committed = {place: Committed(place) for place in places}
        self._unclean_places = unclean_places
        self._leaders: dict[tuple[Place, int], int] = {}
        self._controllers: dict[int, int] = {}
        self._epochs: dict[tuple[Life, object], int] = {}
        self._states: Mapping[TopicPartition, PartitionState] = {}

    def look(
        self,
        running: Iterable[tuple[Life, Broker]],
        states: Mapping[TopicPartition, PartitionState],
    ) -> None:
        """Look into the brokers that run, and at what the registry has of the partitions."""
        brokers = [*running]
        for life, broker in brokers:
            self._look_into(life, broker)
        for life, broker in brokers:
            self._look_for_committed(life, broker, states)
        if states is not self._states:
            self._look_at_states(states)
            self._states = states

    def _look_into(self, life: Life, broker: Broker) -> None:
        member = broker.member
        assert member is not None, "it is one of several"
        self._grows(life, "controller", member.image.controller_epoch)
        if member.controller.is_active:
            epoch = member.controller.view.image.controller_epoch
            there = self._controllers.setdefault(epoch, life.node_id)
            if there != life.node_id:
                raise Violation(f"controllers of epoch {epoch}: {there} and {life.node_id}")
        for place in (*self.committed, *self._unclean_places):
            partition = broker.replicas.find(*place)
            if partition is None or partition.log.failure is not None:
                continue
            if partition.role is not None:
                self._look_at_role(life, place, partition)
                if place in self.committed:
                    self.committed[place].look(life, partition.log)

    def _look_at_role(self, life: Life, place: Place, partition: Partition) -> None:
        if not isinstance(partition.role, LeaderRole):
            return
        epoch = partition.leader_epoch
        self._grows(life, place, epoch)
        there = self._leaders.setdefault((place, epoch), life.node_id)
        if there != life.node_id:
            raise Violation(f"{place}: leaders of epoch {epoch}: {there} and {life.node_id}")

    def _grows(self, life: Life, what: object, epoch: int) -> None:
        before = self._epochs.get((life, what), -1)
        if epoch < before:
            raise Violation(
                f"broker {life.node_id} goes back from epoch {before} of {what}: {epoch}"
            )
        self._epochs[life, what] = epoch

    def _look_for_committed(
        self, life: Life, broker: Broker, states: Mapping[TopicPartition, PartitionState]
    ) -> None:
        for place, committed in self.committed.items():
            state = states.get(TopicPartition(*place))
            if state is None or life.node_id not in state.isr:
                continue
            found, end = broker.replicas.find(*place), committed.end
            if found is not None and found.log.end_offset < end:
                raise Violation(
                    f"{place}: broker {life.node_id} is in sync and has {found.log.end_offset} of {end}"
                )

    def _look_at_states(self, states: Mapping[TopicPartition, PartitionState]) -> None:
        for place, state in states.items():
            before = self._states.get(place)
            if before is None or before == state:
                continue
            if (state.leader_epoch, state.controller_epoch) < (
                before.leader_epoch,
                before.controller_epoch,
            ):
                raise Violation(f"{place}: {state} after {before}")
            if not state.isr or not {*state.isr} <= {*state.replicas}:
                raise Violation(f"{place}: nobody, or a stranger, is in sync: {state}")
            if state.leader != NO_LEADER and state.leader not in state.isr:
                raise Violation(f"{place}: the leader is not in sync: {state}")
