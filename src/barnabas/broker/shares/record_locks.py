"""RecordLocks: records that members of share groups acquire, acknowledge and release.

Joins the machine of a partition with its log, its stored state, and the time of its locks.
"""

from collections.abc import Iterable, Sequence

from barnabas.broker.groups.policies import Policies
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.shares.active_partitions import (
    SPAN_BYTES,
    AcquiredBatches,
    ActivePartitions,
    ActiveSharePartition,
)
from barnabas.broker.shares.partition_time import SharePartitionTime
from barnabas.broker.shares.policies import SharePolicy
from barnabas.broker.shares.reading import read
from barnabas.broker.shares.stored_states import OnStored, StoredStates
from barnabas.coordinators.share_partition.acquiring import AcquireMaximum
from barnabas.coordinators.share_partition.partition import Acknowledged
from barnabas.coordinators.share_state.states import StateKey
from barnabas.log.partition.last_stable_offset import stable_end


class RecordLocks:
    """The locks of all groups. For one thread."""

    def __init__(
        self,
        replicas: ReplicaManager,
        policies: Policies[SharePolicy],
        around: SharePartitionTime,
        active: ActivePartitions,
        stored: StoredStates,
    ) -> None:
        self._replicas, self._policies = replicas, policies
        self._purgatory, self._clock, self._timers, self._memory, self._stepping = around
        self._active, self._stored = active, stored
        self._acquired: dict[tuple[str, str], dict[StateKey, None]] = {}
        """By group and member: the partitions of which it has acquired records in its session, or may have."""

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
        spans_bytes = min(most.records, policy.limits.records) * SPAN_BYTES
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
                self._active.charge(live)
                self._set_alarm(live, policy)
                return AcquiredBatches(found.holding(spans), spans)
            if state.next_offset() <= offset:
                break
        return None

    def has_some(self, live: ActiveSharePartition) -> bool:
        """Whether a member may acquire records now."""
        return live.state.next_offset() < self._end_of(live)

    def _end_of(self, live: ActiveSharePartition) -> int:
        """The offset after the last record that the group may read."""
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
        self._active.charge(live)
        self._set_alarm(live, policy)
        self._stored.keep(live, on_kept)
        self._tell_of(live)

    def _has_memory_for(self, spans: int) -> bool:
        return self._memory.admits(spans * SPAN_BYTES, "acknowledgement of a share group")

    def release(self, group_id: str, member_id: str) -> None:
        """Release the records of a member that has left, so that others get them."""
        keys = self._acquired.pop((group_id, member_id), None)
        if keys:
            self._stepping.run(self._release(keys, member_id))
            self._replicas.write()

    def _release(self, keys: Iterable[StateKey], member_id: str) -> Steps[None]:
        for key in keys:
            live = self._active.get(key)
            if live is not None and live.state.has_any(member_id):
                live.state.release(member_id, self._policies.of(key.group_id).limits)
                self._active.charge(live)
                self._stored.keep(live, lambda _code: None)
                self._tell_of(live)
            yield

    def lock_ms(self, group_id: str) -> int:
        """How long a member holds the records that it acquired, in milliseconds."""
        return self._policies.of(group_id).limits.lock_ms

    def _tell_of(self, live: ActiveSharePartition) -> None:
        """Notify fetches that wait for records of the partition."""
        self._purgatory.happened(live.key, 1)

    def _set_alarm(self, live: ActiveSharePartition, policy: SharePolicy) -> None:
        due = live.state.deadline()
        if due is None or live.timer is not None:
            return

        def ring() -> None:
            live.timer = None
            if not self._active.has(live):
                return
            if live.state.on_time(policy.limits, self._now_ms()):
                self._active.charge(live)
                self._stored.keep(live, lambda _code: None)
                self._tell_of(live)
            self._set_alarm(live, policy)
            self._replicas.write()

        live.timer = self._timers.after(max(due - self._now_ms(), 0) / 1000, ring)

    def _now_ms(self) -> int:
        return int(self._clock.monotonic() * 1000)
