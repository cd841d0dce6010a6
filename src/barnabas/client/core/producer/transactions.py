"""The transactions of one producer: its partitions, losses, and allowed calls. No I/O.

In version 1 of transactions, a partition is added at the coordinator before its first records are
sent (`wanted`, `added`). In version 2, the broker that receives them adds it, and each transaction
has its own epoch. The cluster's feature `transaction.version` decides.

Source: KIP-98, KIP-360, KIP-890, KIP-1050; Kafka's TransactionManager.
"""

from collections.abc import Iterable
from typing import Final

from barnabas.client.core.producer.producer_batch import NO_SEQUENCE, ProducerBatch
from barnabas.client.core.producer.transaction_states import (
    DOOMED,
    SENDING,
    TRANSITIONS,
    UNDECIDED,
    WHAT_TO_DO,
    ProducerTransactionInput,
    ProducerTransactionState,
)
from barnabas.errors import AbortableError, ErrorCode, FatalError, KafkaError, LocalProtocolError
from barnabas.types import TopicPartition

FEATURE: Final = "transaction.version"
_IMPLICIT: Final = 2

_FENCED: Final = (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH)
_FATAL: Final = (
    *_FENCED,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ErrorCode.UNSUPPORTED_VERSION,
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
)


class ProducerTransactions:
    """The open transaction of a producer, and its allowed calls.

    `begun`: the coordinator may know of a transaction; `confirmed`: it does. `gap`: a batch with a
    sequence failed, so its partition needs a new epoch. `groups` are added in version 1. `wanted`
    are the partitions to add.
    """

    def __init__(self, transactional_id: str) -> None:
        self.transactional_id = transactional_id
        self.state = ProducerTransactionState.NEW
        self.implicit = False
        self.begun = False
        self.confirmed = False
        self.gap = False
        self.wanted: set[TopicPartition] = set()
        self.groups: set[str] = set()
        self._added: set[TopicPartition] = set()
        self._why: KafkaError | None = None

    @property
    def sends(self) -> bool:
        """Whether there is a transaction whose batches may be sent."""
        return self.state in SENDING

    @property
    def doomed(self) -> bool:
        """Whether unsent records are never sent."""
        return self.state in DOOMED

    @property
    def undecided(self) -> bool:
        """Whether there is a transaction that can still be aborted."""
        return self.state in UNDECIDED

    @property
    def fatal(self) -> KafkaError | None:
        """Why the producer cannot continue, if so."""
        return self._why if self.state is ProducerTransactionState.DEAD else None

    def move(self, happened: ProducerTransactionInput) -> None:
        """Apply a call or an event.

        Raises:
            LocalProtocolError: it is out of order; the message names the state.
            AbortableError: the transaction has failed and can only be aborted.
            FatalError: the producer has failed for good.
        """
        following = TRANSITIONS[self.state].get(happened)
        if following is None:
            raise self.refusal(happened)
        self.state = following

    def refusal(self, call: ProducerTransactionInput) -> KafkaError:
        """The error for `call` now."""
        who = f"{call.value}: the producer of transactional id {self.transactional_id!r}"
        if self.state is ProducerTransactionState.DEAD:
            code = ErrorCode.UNKNOWN_SERVER_ERROR if self._why is None else self._why.code
            return FatalError(f"{who} cannot go on, {_advice(code)}: {self._why}", code)
        if self.state is ProducerTransactionState.FAILED:
            code = ErrorCode.TRANSACTION_ABORTABLE if self._why is None else self._why.code
            return AbortableError(
                f"{who} is {self.state.value}, call abort_transaction: {self._why}", code
            )
        return LocalProtocolError(f"{who} is {self.state.value}: {WHAT_TO_DO[self.state]}")

    def set_version(self, version: int) -> None:
        """Set the version of the next transaction."""
        self.implicit = version >= _IMPLICIT

    def takes_part(self, where: TopicPartition) -> bool:
        """Whether records for a partition may be sent now; otherwise it is wanted from now on."""
        if self.implicit:
            self.begun = self.confirmed = True
            return True
        if where in self._added:
            return True
        self.wanted.add(where)
        return False

    def added(self, partitions: Iterable[TopicPartition]) -> None:
        """The coordinator has added them."""
        self._added.update(partitions)
        self.wanted -= self._added
        self.confirmed = True

    def added_group(self, group_id: str) -> None:
        """The coordinator has added it."""
        self.groups.add(group_id)
        self.confirmed = True

    def lost(self, batch: ProducerBatch, error: KafkaError) -> KafkaError:
        """A batch failed.

        Return the error for its caller: all batches of a fenced producer get the same.
        """
        self.gap |= batch.sequence != NO_SEQUENCE
        self.fail(error)
        return self.refusal(ProducerTransactionInput.SEND) if error.code in _FATAL else error

    def fail(self, error: KafkaError) -> None:
        """The transaction cannot be committed any more; the first reason counts."""
        if error.code in _FATAL:
            self.die(error)
        elif self.state is not ProducerTransactionState.DEAD:
            if self.state not in DOOMED:
                self._why = error
            self.move(ProducerTransactionInput.FAIL)

    def die(self, error: KafkaError) -> None:
        """The producer cannot continue; the first reason counts."""
        if self.state is not ProducerTransactionState.DEAD:
            self.state = ProducerTransactionState.DEAD
            self._why = _explained(error)
            self.wanted.clear()

    def over(self) -> None:
        """The coordinator has ended the transaction, or never knew of it."""
        self.begun = self.confirmed = False
        self.wanted.clear()
        self._added.clear()
        self.groups.clear()


def _advice(code: ErrorCode) -> str:
    if code is ErrorCode.INVALID_TRANSACTION_TIMEOUT:
        return "create a new one with a shorter transaction.timeout.ms"
    return "create a new one"


def _explained(error: KafkaError) -> KafkaError:
    late = "the transaction was open for longer than transaction.timeout.ms"
    if error.code in _FENCED:
        what = (
            "it is fenced: another producer has started with this transactional id, another "
            "client has "
        )
        what += "ended the transaction from outside (`barnabas transactions abort` does that), or"
        return FatalError(f"{what} {late} ({error})", error.code)
    if error.code is ErrorCode.INVALID_TXN_STATE:
        what = "the coordinator knows of no transaction that could end so; perhaps"
        return FatalError(f"{what} {late} ({error})", error.code)
    return error
