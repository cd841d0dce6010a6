"""Shards: a coordinator's state in the partitions of an internal topic.

Creates the topic, finds the shard of a group or transactional id, and appends records to its partition.
*Not* here: loading (`shard_loader`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, Generic

from barnabas.broker.replicas.own_batch import ENOUGH, OwnBatch, batch_bytes, most_bytes, parts
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.shards.shard_loader import LoadedShard, ShardLoader, ShardT
from barnabas.broker.topics.internal_topic import InternalTopic, make_topic, make_topic_in_steps
from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.offsets.partitioning import partition_for
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock, Timers
from barnabas.records.codecs.compression import Codec

_NOT_WRITTEN = ErrorCode.COORDINATOR_NOT_AVAILABLE
"""Source: Kafka's CoordinatorRuntime turns storage errors of an append into this."""

TOO_LARGE = ErrorCode.UNKNOWN_SERVER_ERROR
"""Source: the same, of a batch that is larger than `max.message.bytes` of the internal topic."""

_KNOWN = 10_000
"""How many groups or transactional ids the cache of shards may contain."""
_USUAL_LENGTH = 255
"""Longer names are not cached. A name may have 32,767 characters."""


class Shards(ABC, Generic[ShardT]):
    """This broker's shards of one kind. For one thread."""

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
        self._topic = topic
        self._codec = codec
        self._loader = ShardLoader[ShardT](
            replicas, clock, timers, topic.name, self._new_shard, self._replay
        )
        self.on_loaded = self._loader.on_loaded
        self._found: list[LoadedShard[ShardT] | None] = []
        """By partition of the topic: the shards requested since the topics last changed."""
        self._by_key: dict[str, LoadedShard[ShardT]] = {}
        """The same by group or transactional id, which each request of a member names."""
        self._changes = -1

    def prepare(self) -> None:
        """Create the topic if it does not exist.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be created.
        """
        make_topic(self.topics, self._topic)

    def prepare_in_steps(self) -> Generator[Any, Any, None]:
        """Like `prepare`, with the topic written beside the loop."""
        yield from make_topic_in_steps(self.topics, self._topic)

    def of(self, key: str) -> LoadedShard[ShardT]:
        """The shard of a group or a transactional id; the topic is created if need be.

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
        """The numbers of the topic's partitions, except those that another broker leads."""
        topic = self.topics.get(self._topic.name)
        for index in topic.partitions if topic else ():
            partition = self.replicas.find(self._topic.name, index)
            if partition is None or partition.role is None or partition.role.leads:
                yield index

    def all(self) -> Generator[None, None, list[LoadedShard[ShardT]]]:
        """Load and return all shards, in steps.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: one of them cannot be loaded.
        """
        every = []
        for index in [*self.indexes()]:
            every.append((yield from self.at_in_steps(index)))
            yield
        return every

    def loaded(self) -> list[LoadedShard[ShardT]]:
        """The shards that were requested."""
        return self._loader.loaded()

    def at(self, index: int) -> LoadedShard[ShardT]:
        """The shard of a partition, by its number. Raises BrokerError, as `ShardLoader.at`."""
        return self._loader.at(index)

    def at_in_steps(self, index: int) -> Generator[None, None, LoadedShard[ShardT]]:
        """Like `at`, but makes all steps of loading itself. Raises as `at`."""
        return self._loader.at_in_steps(index)

    def load_soon(self, partition: Partition) -> None:
        """Load a partition's shard before it is requested, as soon as its committed end is known."""
        self._loader.load_soon(partition)

    def unload(self, partition: Partition) -> None:
        """Forget the shard of a partition, which another broker may lead now."""
        if self._loader.unload(partition):
            self._changes = -1

    def is_loaded(self, held: LoadedShard[ShardT]) -> bool:
        """Whether a shard is still the one of its partition."""
        return self._loader.find(held.partition) is held

    @abstractmethod
    def _new_shard(self) -> ShardT:
        """Return an empty shard."""

    def _replay(self, partition: Partition, shard: ShardT) -> Iterator[None]:
        """Replay a partition's log into a new shard, in steps."""
        # Imported late: a broker starts faster without it.
        from barnabas.broker.shards.shard_replay import load_shard

        return load_shard(partition.log, shard)

    def _append(
        self,
        held: LoadedShard[ShardT],
        records: Sequence[CoordinatorRecord],
        replay: Callable[[bytes | None, bytes | None], object],
        on_written: Callable[[ErrorCode], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Queue records; when they are written, replay each, and call `on_written`.

        With a producer (id, epoch) they belong to its transaction. Records larger than the topic takes as
        one batch are refused with TOO_LARGE before this returns, and before anything else happens. Records
        of a shard that was unloaded since are refused with NOT_COORDINATOR: this broker may have loaded it
        again, in a newer state.
        """
        if not self.is_loaded(held):
            on_written(ErrorCode.NOT_COORDINATOR)
            return
        limit = held.partition.log.config.max_message_bytes
        if most_bytes(records) + ENOUGH > limit:
            if batch_bytes(records) > limit:
                on_written(TOO_LARGE)
                return
            # A batch of its own: in one with others they would all be refused.
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
        """Check, before they are made, whether `count` records that each contain `name` fit one batch.

        A name may have 32,767 characters, and a request of a few KB can require it thousands of times.

        Raises:
            BrokerError: TOO_LARGE, as from `_append`.
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
        """Split records that need not be written together into parts that can be appended."""
        return parts(records, held.partition.log.config.max_message_bytes)

    def _join(self, held: LoadedShard[ShardT], on_written: Callable[[ErrorCode], None]) -> bool:
        """Call `on_written` when all records queued now are written; False if none are queued."""
        return self.replicas.join_own(
            held.partition, lambda code: on_written(_code_for(code) if code else code)
        )

    def write(self) -> None:
        """Write records that were queued outside of a request."""
        self.replicas.write()


def _code_for(code: ErrorCode) -> ErrorCode:
    """Source: the same, of an append that a partition refused."""
    return ErrorCode.NOT_COORDINATOR if code is ErrorCode.NOT_LEADER_OR_FOLLOWER else _NOT_WRITTEN
