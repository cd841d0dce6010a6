"""Consumer: a member of a 0.7 group, which divides topics among its members and saves their progress.

Everything happens in `poll`: fetching, rebalancing, committing. While a consumer does not poll,
other members wait for its partitions. Source: seed 000 "Consumer", "Rebalancing".
"""

import logging
import os
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self

from barnabas.client.driver07.backlog import Backlog
from barnabas.client.driver07.cluster import IDS, Address, read_brokers
from barnabas.client.driver07.group_fetcher import Chunk, GroupFetcher
from barnabas.client.driver07.membership import Membership07, Place
from barnabas.client.driver07.node_names import check_property, check_topics
from barnabas.client.driver07.simple_consumer import EARLIEST, LATEST, SimpleConsumer
from barnabas.client.driver07.zookeeper import open_zookeeper
from barnabas.config.driver07 import ConsumerConfig07
from barnabas.errors import LocalProtocolError, RegistryConflict, RegistryUnavailable
from barnabas.ports import Clock, SharedRegistry
from barnabas.records.messages07.message07 import Message
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy

log = logging.getLogger(__name__)

HandOver = Callable[[Callable[[], None]], None]
_ITERATED_SECONDS = 1.0
_LEAST_PAUSE_SECONDS = 0.01
_FIRST_TIMES = {"smallest": EARLIEST, "largest": LATEST}


class Consumer:
    """Reads topics together with the other consumers of its group, one consumer per partition.

    Delivery is at least once: messages returned by `poll` count as consumed, and are committed,
    when the next poll starts, or by `commit` or `close`. During iteration, all messages before the
    current one are consumed: the loop may end because of the current one. Use it from one thread.
    """

    def __init__(
        self,
        topics: Sequence[str],
        config: Mapping[str, object],
        *,
        registry: Callable[[HandOver], SharedRegistry] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Join the group.

        `registry` creates one, given where its callbacks run, instead of `zk.connect`.

        Raises:
            ConfigError: a property is invalid; `groupid` is missing.
            LocalProtocolError: there is no topic, or one with an invalid name.
            RegistryUnavailable: ZooKeeper does not respond.
            RegistryConflict: the group has a consumer of that name.
        """
        self._config = ConsumerConfig07.load(config)
        check_property("groupid", self._config.groupid)
        if self._config.consumerid:
            check_property("consumerid", self._config.consumerid)
        check_topics(topics)
        self._clock = clock or SystemClock()
        self._news: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        opened = registry or (lambda hand_over: open_zookeeper(self._config, hand_over))
        self._registry = opened(self._news.put)
        self._fetcher = GroupFetcher(
            self._connect,
            self._clock,
            self._config.fetch_size,
            _FIRST_TIMES[self._config.autooffset_reset],
        )
        self._backlog = Backlog()
        self._committed: dict[Place, int] = {}
        self._rebalance_at = self._commit_at = self._clock.monotonic()
        self._due = self._brokers_changed = True
        self._closed = False
        self._membership = Membership07(
            self._registry, self._config.groupid, self._name(), topics, self._on_change
        )
        try:
            self._membership.join()
            self._registry.watch(IDS, self._on_brokers)
        except BaseException:
            self._registry.close()
            raise

    @property
    def owned(self) -> frozenset[Place]:
        """The topics and partitions assigned to this consumer now."""
        return self._membership.owned

    def poll(self, timeout_s: float = 1.0) -> list[Chunk]:
        """Return messages as soon as there are some; none after `timeout_s`.

        Messages returned earlier count as consumed from now on.

        Raises:
            CorruptRecord: a partition is damaged; the position stays before the damage.
            BrokerError: a broker refuses to return a partition.
            StorageError: ZooKeeper has an invalid offset for the group; nothing is read until it is
                fixed there.
        """
        self._fill(timeout_s)
        return self._backlog.rest()

    def __iter__(self) -> Iterator[Message]:
        """Yield messages without end; one is consumed when the next is requested.

        Messages that a loop leaves over are returned by the next one, or by `poll`. Raises as
        `poll`.
        """
        while True:
            message = self._backlog.next()
            if message is None:
                self._fill(_ITERATED_SECONDS)
            else:
                yield message

    def commit(self) -> None:
        """Commit the offsets after all consumed messages.

        Raises:
            RegistryUnavailable: ZooKeeper does not respond; try again.
        """
        self._commit(self._backlog.consumed())

    def close(self, *, commit: bool | None = None) -> None:
        """Leave the group; with `autocommit.enable`, or `commit`, consumed messages are committed.

        If ZooKeeper refuses, that is logged: some messages are then delivered twice.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if self._config.autocommit_enable if commit is None else commit:
                self.commit()
            self._membership.leave()
        except RegistryUnavailable as error:
            log.warning("consumer left the group without notice", extra={"error": error})
        finally:
            self._backlog.keep_only(frozenset())
            self._registry.close()
            self._fetcher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it; after an error, messages returned last are not committed."""
        self.close(commit=False if error is not None else None)

    def _fill(self, timeout_s: float) -> None:
        """Ensure that messages are available, if they arrive in time; earlier ones are consumed."""
        if self._closed:
            raise LocalProtocolError("the consumer is closed")
        until = self._clock.monotonic() + timeout_s
        self._backlog.settle()
        while True:
            self._keep_up()
            if self._backlog:
                return
            left = until - self._clock.monotonic()
            pause = max(self._config.fetcher_backoff_ms / 1000, _LEAST_PAUSE_SECONDS)
            self._backlog.add(self._fetcher.fetch(min(left, pause)))
            left = until - self._clock.monotonic()
            if self._backlog or left <= 0:
                return
            self._wait(min(left, self._config.fetcher_backoff_ms / 1000))

    def _keep_up(self) -> None:
        """Do what is due. Without ZooKeeper, the next call tries again."""
        self._wait(0)
        try:
            if self._config.autocommit_enable and self._clock.monotonic() >= self._commit_at:
                self.commit()
                self._commit_at = (
                    self._clock.monotonic() + self._config.autocommit_interval_ms / 1000
                )
            if self._brokers_changed:
                self._fetcher.see_brokers(read_brokers(self._registry))
                self._brokers_changed = False
            if self._due and self._clock.monotonic() >= self._rebalance_at:
                self._rebalance()
            for place in self._membership.owned - self._fetcher.positions.keys():
                committed = self._membership.committed(place)
                self._fetcher.begin(place, committed)
        except RegistryUnavailable as error:
            log.warning("group waits for ZooKeeper", extra={"error": error})
            self._rebalance_at = self._clock.monotonic() + self._config.rebalance_backoff_ms / 1000

    def _rebalance(self) -> None:
        self._due = False
        try:
            self._due = not self._membership.rebalance(self._let_go)
        except RegistryConflict:
            # The node of a lost session still exists.
            self._due = True
        except RegistryUnavailable:
            self._due = True
            raise
        finally:
            self._fetcher.keep_only(self._membership.owned)
            self._backlog.keep_only(self._membership.owned)
        if self._due:
            # Other members still own some; they release them when notified, or when their session
            # ends.
            self._rebalance_at = self._clock.monotonic() + self._config.rebalance_backoff_ms / 1000
        else:
            log.info("group rebalanced", extra={"owned": sorted(self._membership.owned)})

    def _let_go(self, places: frozenset[Place]) -> None:
        """Release these places: new owners continue after what is consumed, if that gets committed."""
        if self._config.autocommit_enable:
            consumed = self._backlog.consumed()
            self._commit({each: consumed[each] for each in places & consumed.keys()})
        for place in places:
            self._committed.pop(place, None)

    def _commit(self, offsets: Mapping[Place, int]) -> None:
        changed = {
            place: offset
            for place, offset in offsets.items()
            if self._committed.get(place) != offset
        }
        self._membership.commit(changed)
        self._committed |= changed

    def _wait(self, seconds: float) -> None:
        """Wait for notifications, up to the time limit; handle all of them."""
        try:
            self._news.get(timeout=seconds)() if seconds > 0 else self._news.get_nowait()()
            while True:
                self._news.get_nowait()()
        except queue.Empty:
            return

    def _on_change(self) -> None:
        self._due = True
        self._rebalance_at = self._clock.monotonic()

    def _on_brokers(self) -> None:
        self._brokers_changed = True

    def _connect(self, address: Address) -> SimpleConsumer:
        return SimpleConsumer(*address, socket_timeout_ms=self._config.socket_timeout_ms)

    def _name(self) -> str:
        """The consumer's name, as Kafka 0.7 builds it: group, then the id, or host, time and a random part."""
        chosen = self._config.consumerid
        if not chosen:
            chance = SystemEntropy().uuid().hex()[:8]
            chosen = f"{os.uname().nodename}-{self._clock.time_ms()}-{chance}"
        return f"{self._config.groupid}_{chosen}"
