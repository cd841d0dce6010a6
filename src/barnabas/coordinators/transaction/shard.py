"""TransactionShard: the transactional ids of one partition of __transaction_state.

It changes only by applying records, except for what Kafka does not store either: the epoch of a
producer before its last bump. Until the next one, it may continue with that: its response was lost,
or the coordinator aborted its transaction (KIP-360, KIP-588). After a restart of the broker, it is
fenced.
"""

from collections.abc import Callable, Collection, Mapping

from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorResult
from barnabas.coordinators.transaction.adding import AddRequest, add, verify
from barnabas.coordinators.transaction.ending import EndRequest, EndResult, completed, end, fence
from barnabas.coordinators.transaction.initiating import InitRequest, InitResult, initiate
from barnabas.coordinators.transaction.transaction import VERSION_2, ProducerIdAndEpoch, Transaction
from barnabas.coordinators.transaction.transaction_records import (
    NEWEST,
    decode_key,
    decode_transaction,
    encode_end,
    encode_transaction,
)
from barnabas.coordinators.transaction.transaction_states import AT_REST, TransactionState
from barnabas.errors import ErrorCode
from barnabas.types import NO_PRODUCER_EPOCH, Buffer, TopicPartition, new_tuple

_NOTHING_DECODED: tuple[bytes | None, Transaction | None] = (None, None)


class TransactionShard:
    """The transactional ids of one partition of __transaction_state."""

    def __init__(self, new_id: Callable[[], int], record_version: int) -> None:
        """`new_id` gives out producer ids; it may raise, and so may what needs one."""
        self._new_id = new_id
        self._record_version = record_version
        self._fences_by = VERSION_2 if record_version == NEWEST else 0
        self._known: dict[str, Transaction] = {}
        self._before: dict[str, tuple[ProducerIdAndEpoch, int]] = {}
        self._decoded: dict[bytes, tuple[bytes, Transaction]] = {}
        """By key, encoded values created here and not applied yet, with their decoded form."""

    def find(self, transactional_id: str) -> Transaction | None:
        """The state of a transactional id."""
        return self._known.get(transactional_id)

    def all(self) -> Collection[Transaction]:
        """All transactional ids."""
        return self._known.values()

    def initiate(self, request: InitRequest, now: int) -> CoordinatorResult[InitResult]:
        """Assign a producer its id and epoch."""
        transactional_id = request.transactional_id
        known = self._known.get(transactional_id)
        producer, before = self._before.get(transactional_id, (None, NO_PRODUCER_EPOCH))
        if known is None or known.producer != producer:
            before = NO_PRODUCER_EPOCH
        done = initiate(known, request, before, self._new_id, now)
        if done.fences and known is not None:
            return CoordinatorResult(done, self._records(self._fenced(known, now)))
        if done.before != NO_PRODUCER_EPOCH:
            self._before[transactional_id] = done.producer, done.before
        elif not done.error:
            self._before.pop(transactional_id, None)
        return CoordinatorResult(done, self._records(done.next))

    def add(self, request: AddRequest, now: int) -> CoordinatorResult[ErrorCode]:
        """Add partitions to a transaction."""
        error, kept = add(self._known.get(request.transactional_id), request, now)
        return new_tuple(CoordinatorResult, (error, self._records(kept)))

    def verify(self, request: AddRequest) -> Mapping[TopicPartition, ErrorCode]:
        """Check that partitions take part in a transaction."""
        return verify(self._known.get(request.transactional_id), request)

    def end(self, request: EndRequest, now: int) -> CoordinatorResult[EndResult]:
        """Commit or abort."""
        ended = end(self._known.get(request.transactional_id), request, self._new_id, now)
        if ended.next is not None and request.has_own_epoch:
            self._before[request.transactional_id] = ended.producer, request.producer.epoch
        return new_tuple(CoordinatorResult, (ended, self._records(ended.next)))

    def complete(self, transactional_id: str, now: int) -> CoordinatorResult[None]:
        """Record that all markers of a decided transaction are written."""
        kept = completed(self._known[transactional_id], now)
        return new_tuple(CoordinatorResult, (None, self._records(kept)))

    def overdue(self, now: int) -> list[str]:
        """The ids whose transactions are open for longer than their timeout."""
        return [one.transactional_id for one in self._known.values() if _is_overdue(one, now)]

    def fence_overdue(self, transactional_id: str, now: int) -> CoordinatorResult[None]:
        """Abort a transaction, unless it is not overdue any more."""
        known = self._known.get(transactional_id)
        if known is None or not _is_overdue(known, now):
            return CoordinatorResult(None)
        return CoordinatorResult(None, self._records(self._fenced(known, now)))

    def unused(self, now: int, expiration_ms: int) -> list[str]:
        """The ids that nobody has used for so long."""
        every = self._known.values()
        return [one.transactional_id for one in every if _is_unused(one, now, expiration_ms)]

    def expire(
        self, transactional_id: str, now: int, expiration_ms: int
    ) -> CoordinatorResult[None]:
        """Remove a transactional id, unless it is used again."""
        known = self._known.get(transactional_id)
        if known is None or not _is_unused(known, now, expiration_ms):
            return CoordinatorResult(None)
        return CoordinatorResult(None, (encode_end(transactional_id),))

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Apply one record of the log; see `CoordinatorShard`."""
        decoded, known = (
            self._decoded.pop(key, _NOTHING_DECODED) if type(key) is bytes else _NOTHING_DECODED
        )
        if known is not None and value is decoded:
            self._known[known.transactional_id] = known
            return
        transactional_id = None if key is None else decode_key(key)
        if transactional_id is None:
            return
        if value is None:
            self._known.pop(transactional_id, None)
            self._before.pop(transactional_id, None)
        else:
            self._known[transactional_id] = decode_transaction(transactional_id, value)

    def _fenced(self, known: Transaction, now: int) -> Transaction:
        decided = fence(known, self._fences_by, self._new_id, now)
        if self._fences_by >= VERSION_2:
            after = completed(decided, now).producer
            self._before[known.transactional_id] = after, known.producer.epoch
        return decided

    def _records(self, kept: Transaction | None) -> tuple[CoordinatorRecord, ...]:
        if kept is None:
            return ()
        record = encode_transaction(kept, self._record_version)
        if record.value is not None and self._record_version == NEWEST:
            # Reading it again would give the same.
            self._decoded[record.key] = record.value, kept
        return (record,)


def _is_overdue(one: Transaction, now: int) -> bool:
    return one.state is TransactionState.ONGOING and now - one.started_ms > one.timeout_ms


def _is_unused(one: Transaction, now: int, expiration_ms: int) -> bool:
    return one.state in AT_REST and now - one.updated_ms >= expiration_ms
