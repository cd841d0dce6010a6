"""A share partition under members that take, finish, give back, stall and vanish, and a restart."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.acquiring import AcquireLimits, AcquireMaximum, LogBatch
from barnabas.coordinators.share_partition.partition import (
    Acknowledge,
    Acknowledged,
    SharePartition,
)
from barnabas.coordinators.share_partition.restoring import restored
from barnabas.coordinators.share_partition.spans import DONE, DeliveryState
from barnabas.coordinators.share_state.states import ShareState, ShareStates, StateKey
from barnabas.errors import ErrorCode

LIMITS = AcquireLimits(records=30, deliveries=3, lock_ms=100)
KEY = StateKey("g", TopicIdPartition(b"t" * 16, 0))
NAMES = st.sampled_from(["ann", "bob", "cat"])
KINDS = st.sampled_from(list(Acknowledge))


class Shared(RuleBasedStateMachine):
    """The log has batches of three records, but for gaps."""

    def __init__(self) -> None:
        super().__init__()
        self.partition = SharePartition(0, 0)
        self.batches: list[LogBatch] = []
        self.now = 0
        self.finished: set[int] = set()
        self.states = ShareStates()
        self.keep()

    def keep(self) -> None:
        state = self.partition
        kept = ShareState(state.start, tuple(state.kept()))
        self.states.replay(*self.states.snapshot(KEY, kept, self.now))

    @rule(gap=st.booleans())
    def produce(self, *, gap: bool) -> None:
        first = self.batches[-1].last + 1 if self.batches else 0
        first += 2 * gap
        self.batches.append(LogBatch(first, first + 2))

    @rule(index=st.integers(0, 5))
    def compact(self, index: int) -> None:
        """Only what was read once: the last batch stays."""
        if index < len(self.batches) - 1 and self.batches[index].last < self.partition.end:
            del self.batches[index]

    @rule(name=NAMES, most=st.integers(1, 7), strict=st.booleans())
    def acquire(self, name: str, most: int, *, strict: bool) -> None:
        offset = self.partition.next_offset()
        found = [one for one in self.batches if one.last >= offset]
        held = self.held()
        got = self.partition.acquire(
            name, found, AcquireMaximum(most, strict=strict, lot=most), LIMITS, self.now
        )
        for span in got:
            for at in range(span.first, span.last + 1):
                assert at not in self.finished
                assert at not in held
            assert 1 <= span.count <= LIMITS.deliveries
            # The last time a record comes alone, and takes no other with it.
            assert span.count < LIMITS.deliveries or (len(got), len(span)) == (1, 1)
        if strict:
            assert sum(map(len, got)) <= most
        if found and not got and self.partition.has_room(LIMITS):
            # What is not there any more holds nobody up.
            assert self.partition.next_offset() != offset or offset >= self.batches[-1].first

    @rule(name=NAMES, data=st.data())
    def acknowledge(self, name: str, data: st.DataObject) -> None:
        held = sorted(at for at, who in self.held().items() if who == name)
        if not held:
            return
        first = data.draw(st.sampled_from(held))
        last = first
        while last + 1 in held and data.draw(st.booleans()):
            last += 1
        kinds = [data.draw(KINDS) for _ in range(first, last + 1)]
        code = self.partition.acknowledge(
            name, [Acknowledged(first, last, kinds)], LIMITS, self.now
        )
        assert code is ErrorCode.NONE
        done = {Acknowledge.ACCEPT, Acknowledge.REJECT, Acknowledge.GAP}
        self.finished |= {first + index for index, kind in enumerate(kinds) if kind in done}
        self.keep()

    @rule(name=NAMES, first=st.integers(0, 40), count=st.integers(1, 5))
    def acknowledge_what_is_not_its_own(self, name: str, first: int, count: int) -> None:
        held = self.held()
        wanted = range(max(first, self.partition.start), first + count)
        if not wanted or all(held.get(at) == name for at in wanted):
            return
        before = self.partition.kept(), self.held()
        batch = Acknowledged(first, first + count - 1, [Acknowledge.ACCEPT])
        code = self.partition.acknowledge(name, [batch], LIMITS, self.now)
        beyond = first + count > self.partition.end
        assert code is (ErrorCode.INVALID_REQUEST if beyond else ErrorCode.INVALID_RECORD_STATE)
        assert self.held() == before[1]

    @rule(name=NAMES)
    def vanish(self, name: str) -> None:
        self.partition.release(name, LIMITS)
        assert name not in self.held().values()
        self.keep()

    @rule(ms=st.sampled_from([1, 60, 200]))
    def wait(self, ms: int) -> None:
        self.now += ms
        if self.partition.on_time(LIMITS, self.now):
            self.keep()
        due = self.partition.deadline()
        assert due is None or due > self.now

    @rule()
    def restart(self) -> None:
        kept = self.states.get(KEY)
        assert kept is not None
        self.partition = restored(kept.start, kept.spans)
        assert not self.held()

    @rule(offset=st.integers(0, 20))
    def the_log_is_cut(self, offset: int) -> None:
        self.partition.log_starts_at(offset)
        self.keep()

    def held(self) -> dict[int, str]:
        return {
            at: span.member
            for span in self.partition.spans
            if span.state is DeliveryState.ACQUIRED
            for at in range(span.first, span.last + 1)
        }

    @invariant()
    def offsets_are_all_there(self) -> None:
        at = self.partition.start
        for span in self.partition.spans:
            assert span.first == at
            assert span.last >= span.first
            at = span.last + 1
        assert at == self.partition.end
        first = self.partition.spans.first
        assert first is None or first.state not in DONE


TestShared = Shared.TestCase
TestShared.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
