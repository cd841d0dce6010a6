"""Membership: one consumer in its group: who it is, what it owns, and how all come to agree.

There is no coordinator: each consumer writes down that it is there, computes its share from what all
others wrote, and owns a partition when it has made its node. Who consumes and commits is not here.
Source: seed 000 "Consumer", "Rebalancing"; Kafka 0.7.2's ZookeeperConsumerConnector.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress

from barnabas.client.driver07.assignment import BrokerPartition, share_of
from barnabas.client.driver07.cluster import TOPICS, read_partitions
from barnabas.client.driver07.subscription import encode_subscription, threads_of
from barnabas.dialects.kafka07.offset_nodes import decode_offset
from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import SharedRegistry

_LONGER = 1.5
"""ZooKeeper may count a session a little longer than was asked for."""

_KEPT = ("/owners", "/offsets")

Place = tuple[str, BrokerPartition]
"""A topic and one of its partitions."""


class Membership:
    """All calls come from one thread at a time. `join` comes first, then `rebalance` when told to.

    Invariant: for each place in `owned` this consumer's session made the node of its owner, unless the
    session was lost since; the first thing that a rebalance does then is to let go of it.
    """

    def __init__(
        self,
        registry: SharedRegistry,
        group: str,
        consumer: str,
        topics: Sequence[str],
        on_change: Callable[[], None],
    ) -> None:
        """`on_change` is called when a rebalance is due."""
        self._registry = registry
        self._root = f"/consumers/{group}"
        self._consumer = consumer.encode()
        self._own_path = f"{self._root}/ids/{consumer}"
        self._thread = f"{consumer}-0"
        self._topics = sorted(set(topics))
        self._on_change = on_change
        self.owned: frozenset[Place] = frozenset()
        self._noted: set[Place] = set()
        """Places whose node may be this consumer's, also where nobody answered when it was made."""

    def join(self) -> None:
        """Say that this consumer is there, and watch for whatever makes a rebalance due.

        One that was killed and is back under its name waits for its old session to run out.

        Raises:
            RegistryConflict: the group has a consumer of that name.
            RegistryUnavailable: the registry does not answer.
        """
        self._prepare()
        try:
            self._register()
        except RegistryConflict:
            seconds = _LONGER * self._registry.session_seconds
            if not self._registry.wait_until_gone(self._own_path, seconds):
                raise
            self._register()
        self._registry.on_new_session(self._on_change)
        self._registry.watch(f"{self._root}/ids", self._on_change)
        for topic in self._topics:
            self._registry.watch(f"{TOPICS}/{topic}", self._on_change)

    def rebalance(self, let_go: Callable[[frozenset[Place]], None]) -> bool:
        """One attempt to own what is this consumer's share; whether all of it is owned now.

        `let_go` is called with what is to be given up before its node is removed: stop to consume it
        and commit. After False it must be tried again in a while: others still hold something.

        Raises:
            RegistryUnavailable: the registry does not answer; what is owned stays so.
        """
        steps = self.rebalance_in_steps(let_go)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return bool(end.value)

    def rebalance_in_steps(
        self, let_go: Callable[[frozenset[Place]], None]
    ) -> Generator[None, None, bool]:
        """As `rebalance`, with a pause wherever others may act meanwhile; its value is the outcome."""
        self._register()
        yield
        share = frozenset(self._share())
        yield
        kept = frozenset(place for place in self.owned & share if self._is_owner(place))
        if self.owned - kept:
            let_go(self.owned - kept)
        self.owned = kept
        for place in sorted(self._noted - kept):
            yield
            self._remove(place)
        wanted = sorted(share - kept)
        for place in wanted:
            yield
            self._noted.add(place)
            with suppress(RegistryConflict):
                self._registry.create_ephemeral(self._owner_path(place), self._thread.encode())
                self.owned |= {place}
        return self.owned == share

    def leave(self) -> None:
        """Give up what is owned, and be no member any more. What was consumed is committed by then.

        Raises:
            RegistryUnavailable: the registry does not answer; the nodes go with the session.
        """
        self.owned = frozenset()
        for place in sorted(self._noted):
            self._remove(place)
        self._registry.delete(self._own_path)

    def committed(self, place: Place) -> int | None:
        """The offset that the group has for a place, if any.

        Raises:
            StorageError: what stands there is no offset.
            RegistryUnavailable: the registry does not answer.
        """
        path = self._offset_path(place)
        node = self._registry.get(path)
        if node is None:
            return None
        offset = decode_offset(node[0])
        if offset is None:
            # Not the same as none: to begin at the end would leave out all that was not read yet.
            raise StorageError(f"{path} in ZooKeeper is no offset: {node[0][:40]!r}")
        return offset

    def commit(self, offsets: Mapping[Place, int]) -> None:
        """Keep offsets of the group.

        Raises:
            RegistryUnavailable: the registry does not answer; some may be kept.
        """
        for place, offset in offsets.items():
            self._registry.set(self._offset_path(place), str(offset).encode())

    def _prepare(self) -> None:
        """Make the nodes above the group's: what they hold is who made them, for people who look."""
        paths = ["/consumers", *(f"{self._root}{kind}" for kind in ("", "/ids", *_KEPT))]
        paths += [f"{self._root}{kind}/{topic}" for kind in _KEPT for topic in self._topics]
        there = self._registry.get_all(paths)
        missing = [path for path, node in zip(paths, there, strict=True) if node is None]
        self._registry.create_all(dict.fromkeys(missing, self._consumer), ephemeral=False)

    def _register(self) -> None:
        """In this session, if it is not yet."""
        data = encode_subscription(dict.fromkeys(self._topics, 1))
        self._registry.create_ephemeral(self._own_path, data)

    def _share(self) -> Iterator[Place]:
        members = []
        for name in self._registry.children(f"{self._root}/ids"):
            node = self._registry.get(f"{self._root}/ids/{name}")
            if node is not None:
                members.append((name, node[0]))
        for topic in self._topics:
            threads = [each for name, data in members for each in threads_of(name, data, topic)]
            for one in share_of(self._thread, threads, read_partitions(self._registry, topic)):
                yield topic, one

    def _is_owner(self, place: Place) -> bool:
        return self._registry.is_mine(self._owner_path(place))

    def _remove(self, place: Place) -> None:
        if self._is_owner(place):
            self._registry.delete(self._owner_path(place))
        self._noted.discard(place)

    def _owner_path(self, place: Place) -> str:
        return f"{self._root}/owners/{place[0]}/{place[1]}"

    def _offset_path(self, place: Place) -> str:
        return f"{self._root}/offsets/{place[0]}/{place[1]}"
