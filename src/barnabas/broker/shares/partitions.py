"""SharePartitions: partitions that share groups read: acquire, acknowledge, store, release.

Joins the machine of a partition with its log, with what is kept of it, and with the time of its locks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker.groups.policies import Policies
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import Stepping, Steps
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.shares.active_partitions import AcquiredBatches, ActiveSharePartition
from barnabas.broker.shares.policies import SharePolicy
from barnabas.broker.shares.reading import read
from barnabas.broker.shares.states import ShareStateShards
from barnabas.coordinators.share_partition.acquiring import AcquireMaximum
from barnabas.coordinators.share_partition.partition import Acknowledged, SharePartition
from barnabas.coordinators.share_partition.restoring import restored
from barnabas.coordinators.share_state.leaders import StateUpdate
from barnabas.coordinators.share_state.states import UNKNOWN, ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.log.partition.last_stable_offset import stable_end
from barnabas.ports import Clock, Timers

if TYPE_CHECKING:
    from barnabas.broker.shares.partition_ends import PartitionEnds
    from barnabas.broker.shares.routed_states import RoutedStates
    from barnabas.broker.shares.state_reads import StateReads

_AT_ONCE = 64
"""States that are removed together: their records have the group's name, of up to 32 KB, each."""
_SPAN_BYTES = 450
"""Of records delivered together, and of what is kept of them. By default a partition has up to 2,000."""

OnStored = Callable[[ErrorCode], None]
IsRead = Callable[[StateKey], bool]
"""Whether a partition was given to members of its group to read."""


class SharePartitionTime(NamedTuple):
    """Waiting requests, the clock, timers, the memory limit of clients, and long work."""

    purgatory: Purgatory
    clock: Clock
    timers: Timers
    memory: ClientMemory
    stepping: Stepping


class ClusterStates(NamedTuple):
    """In a cluster: states wherever they are kept, those that are being read, and ends of partitions."""

    states: "RoutedStates"
    reads: "StateReads"
    ends: "PartitionEnds"


class SharePartitions:
    """All of them of this broker. For one thread."""

    def __init__(
        self,
        kept: ShareStateShards,
        policies: Policies[SharePolicy],
        around: SharePartitionTime,
        is_read: IsRead,
        routed: "ClusterStates | None" = None,
    ) -> None:
        """`routed`: where states are kept in a cluster; a broker that is alone has all itself."""
        self._kept, self._topics, self._replicas = kept, kept.topics, kept.replicas
        self._policies = policies
        self._purgatory, self._clock, self._timers, self._memory, self._stepping = around
        self._is_read = is_read
        self._live: dict[StateKey, ActiveSharePartition] = {}
        self._acquired: dict[tuple[str, str], dict[StateKey, None]] = {}
        """Where a member, of a group, has acquired anything since its session began, or may have."""
        self._routed = routed

    def prepare(self) -> None:
        """Make the internal topic if it is not there."""
        self._kept.prepare()

    def find(self, key: StateKey) -> ActiveSharePartition:
        """A partition, as it was left.

        Raises:
            BrokerError: it is not there, not for this group, has no offsets to share, or what is
                kept of it cannot be read. COMING: another broker is asked for that; when it has
                answered, that happens to the key in the purgatory.
        """
        partition = self._partition(key)
        live = self._live.get(key)
        if live is not None and live.partition is partition:
            return live
        self._drop(key)
        if self._routed is not None:
            return self._ask_for(self._routed.reads, key, partition)
        live = self._live[key] = self._begin(key, partition)
        return live

    def in_hand(self, key: StateKey) -> ActiveSharePartition:
        """A partition of which members may have acquired something.

        Raises:
            BrokerError: it is not there, or nobody has read it since this broker leads it.
        """
        partition = self._partition(key)
        live = self._live.get(key)
        if live is None or live.partition is not partition:
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return live

    def _partition(self, key: StateKey) -> Partition:
        topic = self._topics.by_id(key.topic_partition.topic_id)
        if topic is None:
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_ID)
        partition = self._replicas.find(topic.name, key.topic_partition.partition)
        is_there = key.topic_partition.partition in topic.partitions
        if partition is None and (self._routed is None or not is_there):
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if partition is None or (partition.role is not None and not partition.role.leads):
            raise BrokerError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if partition.log.config.byte_positions:
            raise BrokerError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "offsets are positions")
        return partition

    def _begin(self, key: StateKey, partition: Partition) -> ActiveSharePartition:
        kept = self._kept.states(key).get(key)
        if kept is not None and kept.start != UNKNOWN:
            return ActiveSharePartition(key, partition, restored(kept.start, kept.spans))
        if kept is None and not self._is_read(key):
            # Kafka 4.3 refuses it likewise, and has no better word for that.
            raise BrokerError(ErrorCode.UNKNOWN_SERVER_ERROR, "no member was to read it")
        start = self._first_offset(key, partition)
        live = ActiveSharePartition(key, partition, SharePartition(start, start))
        self._keep(live, lambda _code: None)
        return live

    def _ask_for(
        self, reads: "StateReads", key: StateKey, partition: Partition
    ) -> ActiveSharePartition:
        """As `_begin`, of a state that another broker may keep."""
        found = reads.take(key, partition)
        is_new = found.start == UNKNOWN
        start = self._first_offset(key, partition) if is_new else found.start
        state = SharePartition(start, start) if is_new else restored(start, found.spans)
        epochs = found.state_epoch, partition.leader_epoch
        live = self._live[key] = ActiveSharePartition(key, partition, state, None, 0, *epochs)
        if is_new:
            self._keep(live, lambda _code: None)
        return live

    def leave(self, partition: Partition) -> None:
        """Another broker may lead a partition: what was acquired here is acquired no more."""
        for key in [key for key, live in self._live.items() if live.partition is partition]:
            self._drop(key)
        if self._routed is not None:
            self._routed.reads.leave(partition)

    def leave_group(self, group_id: str) -> None:
        """No member reads here any more: in a cluster another broker may change where the group is."""
        if self._routed is not None:
            for key in [key for key in self._live if key.group_id == group_id]:
                self._drop(key)

    def _first_offset(self, key: StateKey, partition: Partition) -> int:
        """Where a group begins that never read the partition."""
        log = partition.log
        reset = self._policies.of(key.group_id).offset_reset
        if reset.back_ms is None:
            return log.start_offset if reset.earliest else log.high_watermark
        try:
            found = log.offset_for_timestamp(self._clock.time_ms() - reset.back_ms)
        except StorageError as error:
            raise BrokerError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
        return log.high_watermark if found is None else found[1]

    def acquire(
        self, live: ActiveSharePartition, member_id: str, most: AcquireMaximum, most_bytes: int
    ) -> AcquiredBatches | None:
        """Read and lock records for a member; None where there is nothing for it, or no memory.

        Raises:
            BrokerError: the log cannot be read, or is damaged.
        """
        log, state = live.partition.log, live.state
        policy = self._policies.of(live.key.group_id)
        state.log_starts_at(log.start_offset)
        end = self._end_of(live)
        spans_bytes = min(most.records, policy.limits.records) * _SPAN_BYTES
        if not self._memory.admits(spans_bytes, "delivery to a share group"):
            return None
        while most.records > 0 and state.has_room(policy.limits):
            offset = state.next_offset()
            if offset >= end:
                break
            found = read(log, offset, end, most_bytes, committed_only=policy.committed_only)
            spans = state.acquire(member_id, found.batches, most, policy.limits, self._now_ms())
            if spans:
                member = live.key.group_id, member_id
                self._acquired.setdefault(member, {})[live.key] = None
                self._charge(live)
                self._set_alarm(live, policy)
                return AcquiredBatches(found.holding(spans), spans)
            if state.next_offset() <= offset:
                break
        return None

    def has_some(self, live: ActiveSharePartition) -> bool:
        """Whether there may be records for a member."""
        return live.state.next_offset() < self._end_of(live)

    def _end_of(self, live: ActiveSharePartition) -> int:
        """Behind the last record that the group may have."""
        log = live.partition.log
        committed_only = self._policies.of(live.key.group_id).committed_only
        return stable_end(log) if committed_only else log.high_watermark

    def acknowledge(
        self,
        live: ActiveSharePartition,
        member_id: str,
        batches: Sequence[Acknowledged],
        on_kept: OnStored,
    ) -> None:
        """Apply a member's acknowledgements; `on_kept` receives the code when they are written."""
        policy = self._policies.of(live.key.group_id)
        code = live.state.acknowledge(
            member_id, batches, policy.limits, self._now_ms(), self._has_memory_for
        )
        if code:
            on_kept(code)
            return
        self._charge(live)
        self._set_alarm(live, policy)
        self._keep(live, on_kept)
        self._tell_of(live)

    def _has_memory_for(self, spans: int) -> bool:
        return self._memory.admits(spans * _SPAN_BYTES, "acknowledgement of a share group")

    def release(self, group_id: str, member_id: str) -> None:
        """A member is gone: what it had is for the others, soon."""
        keys = self._acquired.pop((group_id, member_id), None)
        if keys:
            self._stepping.run(self._release(keys, member_id))
            self._replicas.write()

    def _release(self, keys: Iterable[StateKey], member_id: str) -> Steps[None]:
        for key in keys:
            live = self._live.get(key)
            if live is not None and live.state.has_any(member_id):
                live.state.release(member_id, self._policies.of(key.group_id).limits)
                self._charge(live)
                self._keep(live, lambda _code: None)
                self._tell_of(live)
            yield

    def move(self, key: StateKey, start: int, on_kept: OnStored) -> None:
        """Have a group without members begin elsewhere.

        Raises:
            BrokerError: what is kept cannot be read.
        """
        self._drop(key)
        if self._routed is not None:
            self._routed.states.move(key, start, lambda code, _found: on_kept(code))
            return
        states = self._kept.states(key)
        was = states.get(key) or ShareState()
        moved = ShareState(start, state_epoch=was.state_epoch + 1, leader_epoch=was.leader_epoch)
        record = states.snapshot(key, moved, self._clock.time_ms())
        self._kept.keep(key, record, on_kept)

    def forget(self, key: StateKey, on_kept: OnStored) -> None:
        """Keep nothing of a partition any more, wherever that is kept.

        Raises:
            BrokerError: what is kept cannot be read.
        """
        if self._routed is None:
            self.forget_here(key, on_kept)
        else:
            self._drop(key)
            self._routed.states.end(key, lambda code, _found: on_kept(code))

    def forget_here(self, key: StateKey, on_kept: OnStored) -> None:
        """The same of what this broker keeps."""
        self._drop(key)
        self._kept.keep(key, self._kept.states(key).removal(key), on_kept)

    def read_anew(self, key: StateKey) -> None:
        """What is kept of a partition is another's word: what it holds in hand counts no more."""
        self._drop(key)

    def forget_topic(self, topic_id: bytes) -> Steps[None]:
        """Keep nothing of a topic that is deleted; in a cluster each broker does so of what it keeps."""
        for key in [key for key in self._live if key.topic_partition.topic_id == topic_id]:
            self._drop(key)
        keys = yield from self._kept.of_topic(topic_id)
        yield from self._forget_each(keys, self.forget_here)

    def forget_all(self, keys: Iterable[StateKey]) -> None:
        """Keep nothing of these, as far as what is kept can be read; some are written at a time."""
        for _ in self._forget_each(keys, self.forget):
            pass

    def _forget_each(
        self, keys: Iterable[StateKey], forget: Callable[[StateKey, OnStored], None]
    ) -> Iterator[None]:
        for number, key in enumerate(keys, 1):
            with suppress(BrokerError):  # it was logged
                forget(key, lambda _code: None)
            if not number % _AT_ONCE:
                self._kept.write()
                yield

    def start_of(self, key: StateKey) -> int | None:
        """Below which offset all is done with; None: the group never read the partition.

        Raises:
            BrokerError: what is kept cannot be read.
        """
        live = self._live.get(key)
        if live is not None:
            return live.state.start
        kept = self._kept.states(key).get(key)
        return None if kept is None or kept.start == UNKNOWN else kept.start

    def lag_of(self, key: StateKey) -> int:
        """How many records a group has not done with.

        Raises:
            BrokerError: there is no such partition.
        """
        live = self.find(key)
        return max(live.partition.log.high_watermark - live.state.start - live.state.done(), 0)

    def lock_ms(self, group_id: str) -> int:
        """How long a member has what it acquired."""
        return self._policies.of(group_id).limits.lock_ms

    def _drop(self, key: StateKey) -> None:
        live = self._live.pop(key, None)
        if live is None:
            return
        self._memory.lasting_bytes -= live.held_bytes
        live.held_bytes = 0
        if live.timer is not None:
            live.timer.cancel()

    def _charge(self, live: ActiveSharePartition) -> None:
        held = len(live.state.spans) * _SPAN_BYTES
        self._memory.lasting_bytes += held - live.held_bytes
        live.held_bytes = held

    def _keep(self, live: ActiveSharePartition, on_kept: OnStored) -> None:
        def written(code: ErrorCode) -> None:
            if code and self._live.get(live.key) is live:
                # What is in the log counts: it is read again.
                self._drop(live.key)
            on_kept(code)

        state = live.state
        if self._routed is not None:
            spans, epochs = tuple(state.kept()), (live.state_epoch, live.leader_epoch)
            update = StateUpdate(*epochs, state.start, state.done(), spans)
            self._routed.states.write(live.key, update, lambda code, _found: written(code))
            return
        try:
            states = self._kept.states(live.key)
            was = states.get(live.key) or ShareState()
            spans = tuple(state.kept())
            now = was._replace(start=state.start, spans=spans, done=state.done())
            record = states.snapshot(live.key, now, self._clock.time_ms())
            self._kept.keep(live.key, record, written)
        except BrokerError as error:
            written(error.code)

    def _tell_of(self, live: ActiveSharePartition) -> None:
        """Whoever waits for records of the partition may have some now."""
        self._purgatory.happened(live.key, 1)

    def _set_alarm(self, live: ActiveSharePartition, policy: SharePolicy) -> None:
        due = live.state.deadline()
        if due is None or live.timer is not None:
            return

        def ring() -> None:
            live.timer = None
            if self._live.get(live.key) is not live:
                return
            if live.state.on_time(policy.limits, self._now_ms()):
                self._charge(live)
                self._keep(live, lambda _code: None)
                self._tell_of(live)
            self._set_alarm(live, policy)
            self._replicas.write()

        live.timer = self._timers.after(max(due - self._now_ms(), 0) / 1000, ring)

    def _now_ms(self) -> int:
        return int(self._clock.monotonic() * 1000)
