"""Transactions: this broker's transactional producers, from their ids to their markers.

It carries out what the shards decide. While the last step of a transaction is being written to the
log, a request for it gets CONCURRENT_TRANSACTIONS and must be retried.
"""

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Stepping, Steps
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.transactions.markers import Ending, TransactionMarkers
from barnabas.broker.transactions.transaction_shards import HeldTransactions, TransactionShards
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorResult
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.ending import EndRequest, EndResult
from barnabas.coordinators.transaction.initiating import InitRequest, InitResult
from barnabas.coordinators.transaction.transaction import VERSION_2, Transaction
from barnabas.coordinators.transaction.transaction_states import PREPARE_COMMIT
from barnabas.errors import BrokerError, ErrorCode, RegistryConflict, StorageError
from barnabas.records.batches.control import Marker
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.broker.transactions.routed_markers import RoutedMarkers

log = logging.getLogger(__name__)

_GONE = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.TRANSACTION_COORDINATOR_FENCED,
    }
)
"""Why a partition needs no marker: it was deleted, or has gone on. Source: Kafka's
TransactionMarkerRequestCompletionHandler."""


def _tell_nobody(_code: ErrorCode) -> None:
    """For what nobody waits for."""


class Transactions:
    """For one thread. All may raise BrokerError: COORDINATOR_NOT_AVAILABLE."""

    def __init__(
        self,
        shards: TransactionShards,
        markers: TransactionMarkers,
        config: BrokerConfig,
        stepping: Stepping,
        everywhere: "RoutedMarkers | None" = None,
    ) -> None:
        """`markers` are those of this broker; `everywhere`, of a cluster, those of the others, too."""
        self._shards = shards
        self.markers = markers
        self._markers = everywhere or markers
        self._config = config
        self._stepping = stepping
        self._on_the_way: set[str] = set()
        self._marked: set[str] = set()
        shards.on_loaded.append(self._mark_all)

    def prepare(self) -> None:
        """Make the internal topic if it is not there."""
        self._shards.prepare()

    def prepare_in_steps(self) -> Steps[None]:
        """Like `prepare`, with the topic written beside the loop."""
        return self._shards.prepare_in_steps()

    def load_soon(self, partition: Partition) -> None:
        """Know what a partition holds that this broker leads now, and end what was decided."""
        self._shards.load_soon(partition)

    def unload(self, partition: Partition) -> None:
        """Forget what a partition held: another broker may lead it now."""
        self._shards.unload(partition)

    def flush(self) -> None:
        """Write what was queued outside of a request."""
        self._shards.write()

    def find(self, transactional_id: str) -> Transaction | None:
        """What is kept of a transactional id."""
        held = self._shards.find(transactional_id)
        return None if held is None else held.shard.find(transactional_id)

    def all(self) -> Generator[None, None, list[Transaction]]:
        """What is kept of every one; the shards are loaded in steps."""
        every = yield from self._shards.all()
        return [one for held in every for one in held.shard.all()]

    # --- What producers ask for ---------------------------------------------------------------

    def initiate(self, asked: InitRequest, respond: Callable[[InitResult], object]) -> object:
        """Give a producer its id and epoch; gives `respond`'s answer when that is written."""
        held = self._of(asked.transactional_id)
        result = held.shard.initiate(asked, self._shards.now_ms())
        return self._keep(
            held,
            asked.transactional_id,
            result.records,
            lambda code: respond(InitResult(code) if code else result.reply),
        )

    def add(self, asked: AddRequest, respond: Callable[[ErrorCode], object]) -> object:
        """Let partitions take part; gives `respond`'s answer when that is written."""
        held = self._of(asked.transactional_id)
        result = held.shard.add(asked, self._shards.now_ms())
        return self._keep(
            held, asked.transactional_id, result.records, lambda code: respond(code or result.reply)
        )

    def verify(self, asked: AddRequest) -> Mapping[TopicPartition, ErrorCode]:
        """Whether partitions take part."""
        return self._of(asked.transactional_id).shard.verify(asked)

    def add_at_once(self, asked: AddRequest) -> ErrorCode:
        """As `add`, without waiting: a request for what is not written yet may be repeated."""
        held = self._of(asked.transactional_id)
        code, records = held.shard.add(asked, self._shards.now_ms())
        if not records:
            return code
        codes = [ErrorCode.CONCURRENT_TRANSACTIONS]
        self._append(held, asked.transactional_id, records, codes.append)
        self._shards.write()
        return codes[-1]

    def end(self, asked: EndRequest, respond: Callable[[EndResult], object]) -> object:
        """Commit or abort; gives `respond`'s answer when the decision is written."""
        held = self._of(asked.transactional_id)
        result = held.shard.end(asked, self._shards.now_ms())
        return self._keep(
            held,
            asked.transactional_id,
            result.records,
            lambda code: respond(EndResult(code) if code else result.reply),
        )

    def _of(self, transactional_id: str) -> HeldTransactions:
        if transactional_id in self._on_the_way:
            self._shards.write()
            if transactional_id in self._on_the_way:
                raise BrokerError(ErrorCode.CONCURRENT_TRANSACTIONS, "not written yet")
        return self._shards.of(transactional_id)

    def _keep(
        self,
        held: HeldTransactions,
        transactional_id: str,
        records: tuple[CoordinatorRecord, ...],
        respond: Callable[[ErrorCode], object],
    ) -> object:
        """Write the decision, if there is one; then respond, and handle the next request."""
        if not records:
            return respond(ErrorCode.NONE)
        pending = Pending()
        self._append(held, transactional_id, records, lambda code: pending.complete(respond(code)))
        return pending

    def _append(
        self,
        held: HeldTransactions,
        transactional_id: str,
        records: tuple[CoordinatorRecord, ...],
        tell: Callable[[ErrorCode], object],
    ) -> None:
        """Write the decision, report the result, and handle the next request."""
        self._on_the_way.add(transactional_id)

        def written(code: ErrorCode) -> None:
            self._on_the_way.discard(transactional_id)
            tell(code)
            if not code:
                self._mark(held, transactional_id)

        self._shards.append(held, records, written)

    # --- Markers ------------------------------------------------------------------------------

    def _mark(self, held: HeldTransactions, transactional_id: str) -> None:
        """Write the markers of a transaction that is decided; once all are there it is over."""
        known = held.shard.find(transactional_id)
        if known is None or not known.is_decided or transactional_id in self._marked:
            return
        commit = known.state is PREPARE_COMMIT
        marker = Marker(commit, max(held.partition.leader_epoch, 0))
        producer_id, epoch = known.producer
        ending = Ending(producer_id, epoch, marker, known.client_version >= VERSION_2)
        left = {one for one in known.partitions if not self._markers.is_written(one, ending)}
        self._marked.add(transactional_id)
        failed: list[TopicPartition] = []

        def written(place: TopicPartition, code: ErrorCode) -> None:
            left.discard(place)
            if code and code not in _GONE:
                failed.append(place)
            if not left:
                self._marked.discard(transactional_id)
                if not failed:
                    self._complete(held, transactional_id)

        if not left:
            self._marked.discard(transactional_id)
            self._complete(held, transactional_id)
        self._stepping.run(self._write_markers(sorted(left), ending, written))

    def _write_markers(
        self,
        places: Iterable[TopicPartition],
        ending: Ending,
        written: Callable[[TopicPartition, ErrorCode], None],
    ) -> Steps[None]:
        """A transaction may have thousands of partitions; until all have their markers, it is decided."""
        for place in places:
            self._markers.write(place, ending, partial(written, place))
            yield

    def _complete(self, held: HeldTransactions, transactional_id: str) -> None:
        if not self._shards.is_loaded(held):
            # Another broker coordinates it, or this one again: then it has not begun with the markers.
            for each in self._shards.loaded():
                self._mark_all(each)
            return
        result = held.shard.complete(transactional_id, self._shards.now_ms())
        self._append(held, transactional_id, result.records, _tell_nobody)

    # --- What is done from time to time -------------------------------------------------------

    def resume(self) -> Iterator[None]:
        """Load all shards, and end what was decided when the broker stopped; in steps.

        What is open for too long waits for `attend`: its producer may be about to come back.
        """
        for index in [*self._shards.indexes()]:
            with suppress(BrokerError):  # it was logged, and requests for it get an error
                yield from self._shards.at_in_steps(index)
        yield from self._mark_decided()

    def attend(self) -> Iterator[None]:
        """Abort what is open for too long, and write markers that could not be written; in steps."""
        yield from self._mark_decided()
        for held in self._shards.loaded():
            try:
                for transactional_id in held.shard.overdue(self._shards.now_ms()):
                    if self._is_free(held, transactional_id):
                        result = held.shard.fence_overdue(transactional_id, self._shards.now_ms())
                        self._keep_due(held, transactional_id, result, "aborted")
                        yield
            except (StorageError, RegistryConflict) as error:
                topic, index = held.partition.log.topic_partition
                log.warning(
                    "no transaction aborted: no producer id",
                    extra={"topic": topic, "partition": index, "error": error},
                )

    def _mark_decided(self) -> Iterator[None]:
        for held in self._shards.loaded():
            for transactional_id in self._decided(held):
                self._mark(held, transactional_id)
                self._shards.write()
                yield

    def _mark_all(self, held: HeldTransactions) -> None:
        for transactional_id in self._decided(held):
            self._mark(held, transactional_id)

    def _decided(self, held: HeldTransactions) -> Iterator[str]:
        """The ids whose transactions are decided, and nothing of them is being written."""
        for one in tuple(held.shard.all()):
            if one.is_decided and self._is_free(held, one.transactional_id):
                yield one.transactional_id

    def expire(self) -> Iterator[None]:
        """Forget transactional ids that nobody uses, in steps."""
        expiration_ms = self._config.transactional_id_expiration_ms
        for held in self._shards.loaded():
            for transactional_id in held.shard.unused(self._shards.now_ms(), expiration_ms):
                if self._is_free(held, transactional_id):
                    now = self._shards.now_ms()
                    result = held.shard.expire(transactional_id, now, expiration_ms)
                    self._keep_due(held, transactional_id, result, "expired")
                    yield

    def _is_free(self, held: HeldTransactions, transactional_id: str) -> bool:
        """Whether nothing of an id is being written, and this broker still coordinates it."""
        return transactional_id not in self._on_the_way and self._shards.is_loaded(held)

    def _keep_due(
        self,
        held: HeldTransactions,
        transactional_id: str,
        result: CoordinatorResult[None],
        what: str,
    ) -> None:
        if result.records:
            log.info("transaction %s", what, extra={"transactional_id": transactional_id})
            self._append(held, transactional_id, result.records, _tell_nobody)
            self._shards.write()
