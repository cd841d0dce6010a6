"""The states of a transactional id, and their transitions.

Source: KIP-98, KIP-890; Kafka's TransactionState, whose names clients see in ListTransactions.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class TransactionState(Enum):
    """How far a transaction is; the values are Kafka's names, in the order of their numbers."""

    EMPTY = "Empty"
    """There is a producer, and no transaction."""
    ONGOING = "Ongoing"
    """Partitions were added."""
    PREPARE_COMMIT = "PrepareCommit"
    """It is decided; markers are being written."""
    PREPARE_ABORT = "PrepareAbort"
    """The same, for the other outcome."""
    COMPLETE_COMMIT = "CompleteCommit"
    """All markers are written."""
    COMPLETE_ABORT = "CompleteAbort"
    """The same, for the other outcome."""
    DEAD = "Dead"
    """The id has expired. Nothing is kept of it."""
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"
    """In Kafka: its producer is being fenced. Here that is one step with the abort: never seen."""

    # As that of all that is compared by identity: Enum's own is a call of Python.
    __hash__ = object.__hash__


class TransactionInput(Enum):
    """What moves a transactional id."""

    INITIATED = auto()
    """A producer has come, or come again."""
    ADDED = auto()
    """Partitions or a group take part."""
    COMMITTED = auto()
    """Its producer has committed."""
    ABORTED = auto()
    """Its producer has aborted, or the coordinator for it."""
    MARKED = auto()
    """All markers are written."""
    EXPIRED = auto()
    """Nobody has used it for long."""

    __hash__ = object.__hash__


EMPTY = TransactionState.EMPTY
ONGOING = TransactionState.ONGOING
PREPARE_COMMIT = TransactionState.PREPARE_COMMIT
PREPARE_ABORT = TransactionState.PREPARE_ABORT
COMPLETE_COMMIT = TransactionState.COMPLETE_COMMIT
COMPLETE_ABORT = TransactionState.COMPLETE_ABORT
ADDED = TransactionInput.ADDED
COMMITTED = TransactionInput.COMMITTED
ABORTED = TransactionInput.ABORTED
MARKED = TransactionInput.MARKED
"""Each by itself: to look one up in its class takes as long as three calls (in Python 3.11)."""

_S, _I = TransactionState, TransactionInput

_AT_REST = {
    _I.INITIATED: _S.EMPTY,
    _I.ADDED: _S.ONGOING,
    _I.ABORTED: _S.PREPARE_ABORT,  # an empty transaction of version 2
    _I.EXPIRED: _S.DEAD,
}
TRANSITIONS: Mapping[TransactionState, Mapping[TransactionInput, TransactionState]] = (
    MappingProxyType(
        {
            _S.EMPTY: _AT_REST,
            _S.ONGOING: {
                _I.ADDED: _S.ONGOING,
                _I.COMMITTED: _S.PREPARE_COMMIT,
                _I.ABORTED: _S.PREPARE_ABORT,
            },
            _S.PREPARE_COMMIT: {_I.MARKED: _S.COMPLETE_COMMIT},
            _S.PREPARE_ABORT: {_I.MARKED: _S.COMPLETE_ABORT},
            _S.COMPLETE_COMMIT: _AT_REST,
            _S.COMPLETE_ABORT: _AT_REST,
            _S.DEAD: {},
            _S.PREPARE_EPOCH_FENCE: {},
        }
    )
)

COMPLETE = frozenset({COMPLETE_COMMIT, COMPLETE_ABORT})
"""The last transaction has ended."""
AT_REST = COMPLETE | {EMPTY}
"""No transaction is open or being ended."""
DECIDED = frozenset({PREPARE_COMMIT, PREPARE_ABORT})
"""The outcome is in the log, and must reach all partitions."""
