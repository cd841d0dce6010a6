"""The states of a transactional producer and all moves between them.

Source: KIP-98, KIP-360, KIP-1050; what Kafka's producer allows in which order.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class TransactionState(Enum):
    """Where a transactional producer stands; the values say so in messages."""

    NEW = "not initialised"
    """The coordinator does not know of it."""
    READY = "not in a transaction"
    OPEN = "in a transaction"
    FLUSHING = "flushing for a commit"
    """The user has committed or prepared; the coordinator was not told, as records are on their way."""
    COMMITTING = "committing"
    """The coordinator was told, perhaps: from here on only it knows the outcome."""
    FAILED = "in a transaction that has failed"
    """It can only be aborted."""
    ABORTING = "aborting"
    PREPARED = "not in a transaction since it handed one over"
    """All of it is stored; whoever has its `PreparedTransaction` commits or aborts it."""
    DEAD = "failed for good"


class TransactionInput(Enum):
    """What moves it; those with names of calls are the user's."""

    INIT = "init_transactions"
    BEGIN = "begin_transaction"
    SEND = "send"
    OFFSETS = "send_offsets_to_transaction"
    COMMIT = "commit_transaction"
    ABORT = "abort_transaction"
    PREPARE = "prepare_transaction"
    INITIATED = "initiated"
    """The coordinator has given it an id and epoch."""
    SETTLED = "settled"
    """All its records are stored."""
    HANDED_OVER = "handed over"
    """All its records are stored, and somebody else ends it."""
    FAIL = "fail"
    """Something of the transaction is lost."""
    ENDED = "ended"
    """The coordinator has done what was wanted."""


_S, _I = TransactionState, TransactionInput

TRANSITIONS: Mapping[TransactionState, Mapping[TransactionInput, TransactionState]] = (
    MappingProxyType(
        {
            _S.NEW: {_I.INIT: _S.NEW, _I.INITIATED: _S.READY},
            _S.READY: {_I.BEGIN: _S.OPEN},
            _S.OPEN: {
                _I.SEND: _S.OPEN,
                _I.OFFSETS: _S.OPEN,
                _I.COMMIT: _S.FLUSHING,
                _I.PREPARE: _S.FLUSHING,
                _I.ABORT: _S.ABORTING,
                _I.FAIL: _S.FAILED,
            },
            _S.FLUSHING: {
                _I.COMMIT: _S.FLUSHING,
                _I.PREPARE: _S.FLUSHING,
                _I.ABORT: _S.ABORTING,
                _I.FAIL: _S.FAILED,
                _I.SETTLED: _S.COMMITTING,
                _I.HANDED_OVER: _S.PREPARED,
            },
            _S.COMMITTING: {
                _I.COMMIT: _S.COMMITTING,
                _I.FAIL: _S.FAILED,
                _I.ENDED: _S.READY,
            },
            _S.FAILED: {_I.ABORT: _S.ABORTING, _I.FAIL: _S.FAILED},
            _S.ABORTING: {_I.ABORT: _S.ABORTING, _I.FAIL: _S.ABORTING, _I.ENDED: _S.READY},
            _S.PREPARED: {_I.INIT: _S.NEW},
            _S.DEAD: {},
        }
    )
)

SENDING = frozenset({_S.OPEN, _S.FLUSHING})
"""New batches go out."""
DOOMED = frozenset({_S.FAILED, _S.ABORTING})
"""What was not sent yet never will be."""
UNDECIDED = SENDING | DOOMED
"""There is a transaction whose commit nobody has asked the coordinator for."""

WHAT_TO_DO: Mapping[TransactionState, str] = MappingProxyType(
    {
        _S.NEW: "init_transactions comes first",
        _S.READY: "begin_transaction comes first",
        _S.OPEN: "end it with commit_transaction or abort_transaction",
        _S.FLUSHING: "call commit_transaction (or prepare_transaction) again, or abort_transaction",
        _S.COMMITTING: "call commit_transaction again, until it says how that ended",
        _S.ABORTING: "call abort_transaction again, until that is done",
        _S.PREPARED: "init_transactions comes before the next transaction",
    }
)
"""For a user who called something out of order."""
