"""Shards: a coordinator's state in the partitions of an internal topic.

Joins the shards with their partitions: makes the topic, loads a shard when it is first asked for,
appends what is decided. Requests for a shard whose partition is large are refused until it has been
loaded, in steps between which others are served.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from barnabas.broker.replicas.own_batch import ENOUGH, OwnBatch, batch_bytes, most_bytes, parts
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.topics.internal_topic import InternalTopic, make_topic
from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorShard
from barnabas.coordinators.offsets.partitioning import partition_for
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.ports import Clock, Timers
from barnabas.records.codecs.compression import Codec

log = logging.getLogger(__name__)

_NOT_WRITTEN = ErrorCode.COORDINATOR_NOT_AVAILABLE
"""Source: Kafka's CoordinatorRuntime turns storage errors of an append into this."""

TOO_LARGE = ErrorCode.UNKNOWN_SERVER_ERROR
"""Source: the same, of a batch that is larger than `max.message.bytes` of the internal topic."""

_AT_ONCE = 16
"""Steps that are made when a shard is first asked for, 4 MiB: few have more to load. After a start all are
asked for at once."""
_LONG_SECONDS = 0.01
"""When loading shards has taken so long in a turn of the loop, the next one is loaded step by step."""
_LOOK_SECONDS = 0.05
"""How often a new leader looks whether it knows what is committed."""
_KNOWN = 10_000
"""Groups, or transactional ids, whose shard is remembered."""
_USUAL_LENGTH = 255
"""Characters of a name that is remembered; it may have 32,767."""

ShardT = TypeVar("ShardT", bound=CoordinatorShard)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedShard(Generic[ShardT]):
    """A shard and the partition that it is kept in."""

    partition: Partition
    shard: ShardT


class Shards(ABC, Generic[ShardT]):
    """All shards of one kind of this broker. For one thread."""

    def __init__(
        self,
        topics: Topics,
        replicas: ReplicaManager,
        clock: Clock,
        timers: Timers,
        topic: InternalTopic,
        codec: Codec = Codec.NONE,
    ) -> None:
        self.topics = topics
        self.replicas = replicas
        self._clock = clock
        self._timers = timers
        self._topic = topic
        self._codec = codec
        self._held: dict[Partition, LoadedShard[ShardT]] = {}
        self._spent_seconds = 0.0
        """What loading shards has taken of this turn of the loop."""
        self._loading: dict[Partition, tuple[ShardT, Iterator[None]]] = {}
        """The shards that are being loaded, with the steps that are left."""
        self._found: list[LoadedShard[ShardT] | None] = []
        """By partition of the topic, what was asked for while the topics did not change."""
        self._by_key: dict[str, LoadedShard[ShardT]] = {}
        """The same by group or transactional id: members ask with each request."""
        self._changes = -1
        self.on_loaded: list[Callable[[LoadedShard[ShardT]], None]] = []

    def prepare(self) -> None:
        """Make the topic if it is not there.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be made.
        """
        make_topic(self.topics, self._topic)

    def of(self, key: str) -> LoadedShard[ShardT]:
        """The shard of a group or a transactional id; the topic is made if need be.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        found = self.find(key)
        if found is None:
            self.prepare()
            found = self.find(key)
            assert found is not None, "the topic was prepared"
        return found

    def find(self, key: str) -> LoadedShard[ShardT] | None:
        """The shard of a group or a transactional id; None while there are none at all.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE; NOT_COORDINATOR: this member of a cluster does not
                know the topic, or not yet: it has just started.
        """
        if self._changes != self.topics.changes:
            self._changes = self.topics.changes
            topic = self.topics.get(self._topic.name)
            self._found = [None] * (0 if topic is None else len(topic.partitions))
            self._by_key.clear()
        held = self._by_key.get(key)
        if held is None and self._found:
            index = partition_for(key, len(self._found))
            held = self._found[index]
            if held is None:
                held = self._found[index] = self.at(index)
            if len(self._by_key) >= _KNOWN:
                self._by_key.clear()
            if len(key) <= _USUAL_LENGTH:
                self._by_key[key] = held
        if held is None and self.topics.are_shared:
            raise BrokerError(ErrorCode.NOT_COORDINATOR, f"{self._topic.name} is not known here")
        return held

    def indexes(self) -> Iterator[int]:
        """The partitions of the topic but for those that another broker leads: an argument of `at`."""
        topic = self.topics.get(self._topic.name)
        for index in topic.partitions if topic else ():
            partition = self.replicas.find(self._topic.name, index)
            if partition is None or partition.role is None or partition.role.leads:
                yield index

    def all(self) -> Generator[None, None, list[LoadedShard[ShardT]]]:
        """Every shard, loaded in steps.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: one of them cannot be loaded.
        """
        every = []
        for index in [*self.indexes()]:
            every.append((yield from self.at_in_steps(index)))
            yield
        return every

    def loaded(self) -> list[LoadedShard[ShardT]]:
        """The shards that somebody asked for."""
        return list(self._held.values())

    def at_in_steps(self, index: int) -> Generator[None, None, LoadedShard[ShardT]]:
        """As `at`, however much there is to load: that is done in steps. Raises as `at`."""
        try:
            return self.at(index)
        except BrokerError:
            partition = self.replicas.find(self._topic.name, index)
            if partition not in self._loading:
                raise
        while partition in self._loading and not self._load_on(partition, 1):
            yield
        return self.at(index)

    def at(self, index: int) -> LoadedShard[ShardT]:
        """A shard by its partition, loaded.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be loaded; COORDINATOR_LOAD_IN_PROGRESS:
                there is more of it than is loaded at once, or its leader does not know yet how far
                records are committed; NOT_COORDINATOR.
        """
        name = self._topic.name
        partition = self.replicas.find(name, index)
        if partition is None:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{name}-{index}")
        if partition.role is not None and not partition.role.leads:
            raise BrokerError(ErrorCode.NOT_COORDINATOR, f"another broker leads {name}-{index}")
        if partition in self._held:
            return self._held[partition]
        # What the leader before has acknowledged may lie behind the high watermark known here.
        is_known = partition.role is None or partition.role.knows_committed_end
        if not is_known or partition in self._loading:
            raise BrokerError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"{name}-{index}")
        shard = self._new_shard()
        self._loading[partition] = shard, self._replay(partition, shard)
        if not self._load_first(partition):
            self._timers.soon(partial(self._load_later, partition, self._loading[partition]))
            raise BrokerError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"{name}-{index}")
        return self._held[partition]

    def load_soon(self, partition: Partition) -> None:
        """Load what a partition holds without being asked, as soon as it is known what is committed."""

        def attempt() -> None:
            topic, index = partition.log.topic_partition
            if self.replicas.find(topic, index) is not partition or partition in self._held:
                return
            try:
                self.at(index)
            except BrokerError as error:
                # What else it may be was logged; the next request for it tries again.
                if error.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                    self._timers.after(_LOOK_SECONDS, attempt)
            self.write()

        self._timers.soon(attempt)

    def _load_first(self, partition: Partition) -> bool:
        """Make the first steps of loading a shard: fewer if others took long in this turn of the loop.

        Returns and raises as `_load_on`.
        """
        began = self._clock.monotonic()
        try:
            return self._load_on(partition, 1 if self._spent_seconds > _LONG_SECONDS else _AT_ONCE)
        finally:
            if not self._spent_seconds:
                self._timers.soon(self._on_turn_over)
            self._spent_seconds += self._clock.monotonic() - began

    def _on_turn_over(self) -> None:
        self._spent_seconds = 0.0

    def _load_on(self, partition: Partition, count: int) -> bool:
        """Make some steps of loading; whether the shard is loaded now.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be loaded.
        """
        shard, steps = self._loading[partition]
        try:
            if not self._advance(partition, steps, count):
                return False
        except BrokerError:
            del self._loading[partition]
            raise
        del self._loading[partition]
        held = self._held[partition] = LoadedShard(partition, shard)
        for begin in self.on_loaded:
            begin(held)
        return True

    def _advance(self, partition: Partition, steps: Iterator[None], count: int | None) -> bool:
        """Make some steps, or all (None); whether none is left. Raises as `_load_on`."""
        try:
            made = sum(1 for _ in islice(steps, count))
        except (StorageError, DecodeError) as error:
            topic, index = partition.log.topic_partition
            log.error(  # noqa: TRY400 - a trace says nothing about a disk
                "shard not loaded", extra={"topic": topic, "partition": index, "error": error}
            )
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error
        return made != count

    def _load_later(self, partition: Partition, loading: tuple[ShardT, Iterator[None]]) -> None:
        """Make the next step, unless the shard was loaded or forgotten meanwhile."""
        if self._loading.get(partition) is not loading:
            return
        with suppress(BrokerError):  # It was logged; the next request for it begins anew.
            if not self._load_on(partition, 1):
                self._timers.soon(partial(self._load_later, partition, loading))
            self.write()

    def unload(self, partition: Partition) -> None:
        """Forget what a partition held: another broker may lead it now."""
        self._loading.pop(partition, None)
        if self._held.pop(partition, None) is not None:
            self._changes = -1

    def is_loaded(self, held: LoadedShard[ShardT]) -> bool:
        """Whether a shard is the one of its partition, and was not forgotten since."""
        return self._held.get(held.partition) is held

    @abstractmethod
    def _new_shard(self) -> ShardT:
        """One that knows nothing yet."""

    def _replay(self, partition: Partition, shard: ShardT) -> Iterator[None]:
        """Replay what a partition has into a new shard, in steps."""
        # Imported late: a broker starts faster without it.
        from barnabas.broker.shards.shard_loading import load_shard

        return load_shard(partition.log, shard)

    def _append(
        self,
        held: LoadedShard[ShardT],
        records: Sequence[CoordinatorRecord],
        replay: Callable[[bytes | None, bytes | None], object],
        on_written: Callable[[ErrorCode], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Queue records; when they are written each is replayed, and `on_written` is called.

        With a producer (id, epoch) they are of its transaction. What is larger than the topic takes as
        one batch is refused with TOO_LARGE before this returns, and before anything else happens. So is
        what a shard has decided that was unloaded since, with NOT_COORDINATOR: this broker may coordinate
        again, and know better.
        """
        if self._held.get(held.partition) is not held:
            on_written(ErrorCode.NOT_COORDINATOR)
            return
        limit = held.partition.log.config.max_message_bytes
        if most_bytes(records) + ENOUGH > limit:
            if batch_bytes(records) > limit:
                on_written(TOO_LARGE)
                return
            # A batch of its own: in one with others it would have them refused too.
            self.replicas.seal(held.partition)

        def written(code: ErrorCode) -> None:
            if code:
                code = _code_for(code)
            else:
                for key, value in records:
                    replay(key, value)
            on_written(code)

        if producer is None:
            self.replicas.gathering(held.partition, self._codec).add(records, written)
        else:
            batch = OwnBatch(self._clock.time_ms(), self._codec)
            batch.add(records, written)
            self.replicas.append_own(held.partition, batch.build(producer), batch.tell)

    def check_fits(self, held: LoadedShard[ShardT], name: str, count: int) -> None:
        """Whether so many records can be one batch, if each has the name: before they are made.

        A name may have 32,767 characters, and a request of a few KB can ask for it thousands of times.

        Raises:
            BrokerError: TOO_LARGE, as `_append` would find.
        """
        limit = held.partition.log.config.max_message_bytes
        if count * len(name) > limit:
            why = (
                f"{count} records with a name of {len(name)} characters are more than {limit} bytes"
            )
            raise BrokerError(TOO_LARGE, why)

    def parts(
        self, held: LoadedShard[ShardT], records: Iterable[CoordinatorRecord]
    ) -> Iterator[list[CoordinatorRecord]]:
        """Records that need not be kept all at once, in as many parts as can be appended."""
        return parts(records, held.partition.log.config.max_message_bytes)

    def _join(self, held: LoadedShard[ShardT], on_written: Callable[[ErrorCode], None]) -> bool:
        """Tell as with what is queued now; False: all is written."""
        return self.replicas.join_own(
            held.partition, lambda code: on_written(_code_for(code) if code else code)
        )

    def write(self) -> None:
        """Write what was queued outside of a request."""
        self.replicas.write()


def _code_for(code: ErrorCode) -> ErrorCode:
    """Source: the same, of an append that a partition refused."""
    return ErrorCode.NOT_COORDINATOR if code is ErrorCode.NOT_LEADER_OR_FOLLOWER else _NOT_WRITTEN
