"""Membership07: one consumer in its group: its registration, its partitions, and how members agree.

There is no coordinator: each consumer registers itself, computes its share from all registrations,
and owns a partition once it has created its node. Consuming and committing are not here. Source:
seed 000 "Consumer", "Rebalancing"; Kafka 0.7.2's ZookeeperConsumerConnector.
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
"""ZooKeeper may extend a session slightly beyond the requested time."""

_KEPT = ("/owners", "/offsets")

Place = tuple[str, BrokerPartition]
"""A topic and one of its partitions."""


class Membership07:
    """Make all calls from one thread at a time: first `join`, then `rebalance` when notified.

    Invariant: for each place in `owned` this consumer's session created the owner's node, unless
    the session was lost since; then a rebalance first releases it.
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
        """Places whose node may be this consumer's, because a create request got no response."""

    def join(self) -> None:
        """Register this consumer, and watch for whatever makes a rebalance due.

        A killed consumer that returns under its name waits until its old session expires.

        Raises:
            RegistryConflict: the group has a consumer of that name.
            RegistryUnavailable: the registry does not respond.
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
        """Try once to own this consumer's share; return whether it owns all of it now.

        `let_go` is called with places to release before their nodes are removed: stop consuming
        them and commit. After False, try again later: other members still own some.

        Raises:
            RegistryUnavailable: the registry does not respond; owned places stay owned.
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
        """Like `rebalance`, with a pause wherever others may act meanwhile; its value is the outcome."""
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
        """Release all places and leave the group. Commit before.

        Raises:
            RegistryUnavailable: the registry does not respond; the nodes end with the session.
        """
        self.owned = frozenset()
        for place in sorted(self._noted):
            self._remove(place)
        self._registry.delete(self._own_path)

    def committed(self, place: Place) -> int | None:
        """The group's offset for a place, if any.

        Raises:
            StorageError: the node does not contain an offset.
            RegistryUnavailable: the registry does not respond.
        """
        path = self._offset_path(place)
        node = self._registry.get(path)
        if node is None:
            return None
        offset = decode_offset(node[0])
        if offset is None:
            # Not treated as missing: starting at the end would skip all unread messages.
            raise StorageError(f"{path} in ZooKeeper is not an offset: {node[0][:40]!r}")
        return offset

    def commit(self, offsets: Mapping[Place, int]) -> None:
        """Save offsets of the group.

        Raises:
            RegistryUnavailable: the registry does not respond; some may be saved.
        """
        for place, offset in offsets.items():
            self._registry.set(self._offset_path(place), str(offset).encode())

    def _prepare(self) -> None:
        """Create the parent nodes of the group's; they contain their creator, for people who look."""
        paths = ["/consumers", *(f"{self._root}{kind}" for kind in ("", "/ids", *_KEPT))]
        paths += [f"{self._root}{kind}/{topic}" for kind in _KEPT for topic in self._topics]
        there = self._registry.get_all(paths)
        missing = [path for path, node in zip(paths, there, strict=True) if node is None]
        self._registry.create_all(dict.fromkeys(missing, self._consumer), ephemeral=False)

    def _register(self) -> None:
        """Register in this session, if not done yet."""
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
