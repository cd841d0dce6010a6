"""What a response means for a batch, and how to react: tables of errors and circumstances.

A broker accepts a batch of an idempotent producer only with the next sequence of its partition, or
with sequence 0 of a higher epoch. So a batch that can no longer be stored leaves a gap, which only
a higher epoch closes: see `sequencing`. Epochs are counted per partition: brokers compare them per
partition, and without transactions no other producer uses the id. With transactions, epochs belong
to the coordinator: a producer that loses a batch aborts, and the next transaction has another
epoch.

Source: KIP-98, KIP-360 (epochs are bumped by the client), Kafka's TransactionManager,
DelayedProduce.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from barnabas.errors import ErrorCode

MAX_EPOCH: Final = 32767
MAX_SEQUENCE: Final = 0x7FFFFFFF


class AppendResult(Enum):
    """The state of the log. STORED: the batch is in it.

    OPEN: it may be. REJECTED: this time it was not appended. OUT_OF_ORDER: its sequence is not the
    next one, and the broker does not remember the batch.
    """

    STORED = "stored"
    OPEN = "open"
    REJECTED = "rejected"
    OUT_OF_ORDER = "out of order"


_STORED: Final = (ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER)
_OUT_OF_ORDER: Final = (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID)
_OPEN: Final = (
    ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.NETWORK_EXCEPTION,
    # After the append, while the leader waits for its followers:
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.KAFKA_STORAGE_ERROR,
)


def answer_of(error: ErrorCode) -> AppendResult:
    """The state of the log after a response with `error` (or NONE)."""
    if error in _STORED:
        return AppendResult.STORED
    if error in _OUT_OF_ORDER:
        return AppendResult.OUT_OF_ORDER
    return AppendResult.OPEN if error in _OPEN else AppendResult.REJECTED


class Action(Enum):
    """What to do with a batch.

    STORED: it is in the log. RETRY: later; `sequencing` chooses the number. SPLIT: send two halves.
    FAIL: give up.
    """

    STORED = "stored"
    RETRY = "retry"
    SPLIT = "split"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Other conditions.

    `early`: an earlier batch of its partition has no outcome. `may_retry`: retries and time are
    left. `may_renew`: its partition can have a new epoch.
    """

    idempotent: bool
    early: bool
    splittable: bool
    may_retry: bool
    may_renew: bool = True


def decide(error: ErrorCode, case: Circumstances) -> Action:
    """The action for one batch and the error (or NONE) in its response."""
    if error in _STORED:
        return Action.STORED
    if error is ErrorCode.MESSAGE_TOO_LARGE:
        return Action.SPLIT if case.splittable else Action.FAIL
    if not case.may_retry:
        return Action.FAIL
    if case.idempotent and error in _OUT_OF_ORDER:
        return Action.RETRY if case.early or case.may_renew else Action.FAIL
    return Action.RETRY if error.retriable else Action.FAIL


def add_sequence(sequence: int, count: int) -> int:
    """The sequence `count` records later; 0 follows 2^31 - 1."""
    return (sequence + count) & MAX_SEQUENCE
