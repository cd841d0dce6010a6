"""StoredStates: what is stored of partitions that share groups read, here or on other brokers."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.shares.active_partitions import (
    ActivePartitions,
    ActiveSharePartition,
)
from barnabas.broker.shares.states import ShareStateShards
from barnabas.coordinators.share_state.leaders import StateUpdate
from barnabas.coordinators.share_state.states import UNKNOWN, ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock

if TYPE_CHECKING:
    from barnabas.broker.shares.routed_states import RoutedStates


_AT_ONCE = 64
"""States that are removed together: each record has the group's name, of up to 32 KB."""

OnStored = Callable[[ErrorCode], None]


class StoredStates:
    """The states of all groups. For one thread."""

    def __init__(
        self,
        kept: ShareStateShards,
        active: ActivePartitions,
        clock: Clock,
        routed: "RoutedStates | None",
    ) -> None:
        """`routed`: states wherever they are stored in a cluster; a broker that is alone has all itself."""
        self._kept, self._active, self._clock, self._routed = kept, active, clock, routed

    def keep(self, live: ActiveSharePartition, on_kept: OnStored) -> None:
        """Write a partition's state; `on_kept` receives the code when it is written."""

        def written(code: ErrorCode) -> None:
            if code and self._active.has(live):
                # What is in the log counts: it is read again.
                self._active.drop(live.key)
            on_kept(code)

        state = live.state
        if self._routed is not None:
            spans, epochs = tuple(state.kept()), (live.state_epoch, live.leader_epoch)
            update = StateUpdate(*epochs, state.start, state.done(), spans)
            self._routed.write(live.key, update, lambda code, _found: written(code))
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

    def move(self, key: StateKey, start: int, on_kept: OnStored) -> None:
        """Move the start of a group without members.

        Raises:
            BrokerError: what is kept cannot be read.
        """
        self._active.drop(key)
        if self._routed is not None:
            self._routed.move(key, start, lambda code, _found: on_kept(code))
            return
        states = self._kept.states(key)
        was = states.get(key) or ShareState()
        moved = ShareState(start, state_epoch=was.state_epoch + 1, leader_epoch=was.leader_epoch)
        record = states.snapshot(key, moved, self._clock.time_ms())
        self._kept.keep(key, record, on_kept)

    def forget(self, key: StateKey, on_kept: OnStored) -> None:
        """Delete the state of a partition, on this broker or another.

        Raises:
            BrokerError: what is kept cannot be read.
        """
        if self._routed is None:
            self.forget_here(key, on_kept)
        else:
            self._active.drop(key)
            self._routed.end(key, lambda code, _found: on_kept(code))

    def forget_here(self, key: StateKey, on_kept: OnStored) -> None:
        """Delete the state of a partition that this broker stores."""
        self._active.drop(key)
        self._kept.keep(key, self._kept.states(key).removal(key), on_kept)

    def forget_topic(self, topic_id: bytes) -> Steps[None]:
        """Delete the states of a deleted topic that this broker stores."""
        self._active.drop_all(lambda live: live.key.topic_partition.topic_id == topic_id)
        keys = yield from self._kept.of_topic(topic_id)
        yield from self._forget_each(keys, self.forget_here)

    def forget_all(self, keys: Iterable[StateKey]) -> None:
        """Delete the states of some partitions, as far as they can be read, a few at a time."""
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
        """The start: all records before it are completed. None: the group never read the partition.

        Raises:
            BrokerError: what is kept cannot be read.
        """
        live = self._active.get(key)
        if live is not None:
            return live.state.start
        kept = self._kept.states(key).get(key)
        return None if kept is None or kept.start == UNKNOWN else kept.start
