"""What an answer says of a batch, and what to do with it: tables of errors and circumstances.

A broker takes a batch of an idempotent producer only with the next sequence of its partition, or
with the sequence 0 under a higher epoch. So a batch that can no longer be stored leaves a gap,
which only a higher epoch closes: see `sequencing`. Each partition counts epochs of its own: brokers
compare them per partition, and without transactions nobody else uses the producer id. With
transactions epochs are the coordinator's: who loses a batch aborts, and the next transaction has
another epoch.

Source: KIP-98, KIP-360 (epochs are bumped by the client), Kafka's TransactionManager, DelayedProduce.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from barnabas.errors import ErrorCode

MAX_EPOCH: Final = 32767
MAX_SEQUENCE: Final = 0x7FFFFFFF


class Answer(Enum):
    """What it says of the log. STORED: the batch is in it.

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


def answer_of(error: ErrorCode) -> Answer:
    """What it says of the log that a broker answered with `error` (or NONE)."""
    if error in _STORED:
        return Answer.STORED
    if error in _OUT_OF_ORDER:
        return Answer.OUT_OF_ORDER
    return Answer.OPEN if error in _OPEN else Answer.REJECTED


class Action(Enum):
    """What happens to a batch.

    STORED: it is in the log. RETRY: again, later; under which number, `sequencing` says. SPLIT: as
    two halves. FAIL: give it up.
    """

    STORED = "stored"
    RETRY = "retry"
    SPLIT = "split"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What else decides.

    `early`: a batch of its partition before it is unresolved. `may_retry`: tries and time are left.
    `may_renew`: its partition can have a new epoch.
    """

    idempotent: bool
    early: bool
    splittable: bool
    may_retry: bool
    may_renew: bool = True


def decide(error: ErrorCode, case: Circumstances) -> Action:
    """The action for one batch and the error (or NONE) that it was answered with."""
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
    """The sequence `count` records on; after 2^31 - 1 comes 0."""
    return (sequence + count) & MAX_SEQUENCE
