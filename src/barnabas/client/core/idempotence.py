"""What to do with a batch that a broker answered for: a table of errors and circumstances.

A broker takes a batch of an idempotent producer only with the next sequence of its partition, or
with the sequence 0 under a higher epoch. So a batch that can no longer be stored leaves a gap,
which only a higher epoch closes. Each partition counts epochs of its own: brokers compare them per
partition, and without transactions nobody else uses the producer id. With transactions epochs are
the coordinator's: who loses a batch aborts, and the next transaction has another epoch.

Source: KIP-98, KIP-360 (epochs are bumped by the client), Kafka's TransactionManager.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from barnabas.errors import ErrorCode

MAX_EPOCH: Final = 32767
MAX_SEQUENCE: Final = 0x7FFFFFFF


class Action(Enum):
    """What happens to a batch.

    STORED: it is in the log. RETRY: again, later, with the same sequence. SPLIT: as two halves.
    RENEW: again under a higher epoch of its partition. FAIL: give it up.
    """

    STORED = "stored"
    RETRY = "retry"
    SPLIT = "split"
    RENEW = "renew"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What else decides.

    `first`: no earlier batch of its partition is unresolved. `current`: it carries the epoch that
    its partition uses now. `may_retry`: tries and time are left. `may_renew`: epochs are its own.
    """

    idempotent: bool
    first: bool
    current: bool
    splittable: bool
    may_retry: bool
    may_renew: bool = True


_LOST_TRACK: Final = (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID)


def decide(error: ErrorCode, case: Circumstances) -> Action:
    """The action for one batch and the error (or NONE) that it was answered with."""
    if error in (ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER):
        return Action.STORED
    if error is ErrorCode.MESSAGE_TOO_LARGE:
        return Action.SPLIT if case.splittable else Action.FAIL
    if not case.may_retry:
        return Action.FAIL
    if case.idempotent and error in _LOST_TRACK:
        # A batch behind one that is still to be stored comes too early, that is all. The first one
        # can only be out of order if the broker lost what it knew of this producer.
        if not (case.first and case.current):
            return Action.RETRY
        return Action.RENEW if case.may_renew else Action.FAIL
    return Action.RETRY if error.retriable else Action.FAIL


def add_sequence(sequence: int, count: int) -> int:
    """The sequence `count` records on; after 2^31 - 1 comes 0."""
    return (sequence + count) & MAX_SEQUENCE
