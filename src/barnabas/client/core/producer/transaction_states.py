"""The states of a transactional producer, and their transitions.

Source: KIP-98, KIP-360, KIP-1050; the order of calls that Kafka's producer allows.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class ProducerTransactionState(Enum):
    """The state of a transactional producer; messages contain the values."""

    NEW = "not initialised"
    """The coordinator does not know it."""
    READY = "not in a transaction"
    OPEN = "in a transaction"
    FLUSHING = "flushing for a commit"
    """A commit or prepare was called; the coordinator does not know, because records are in flight.
    """
    COMMITTING = "committing"
    """The coordinator may know of the commit: from here on only it knows the outcome."""
    FAILED = "in a transaction that has failed"
    """It can only be aborted."""
    ABORTING = "aborting"
    PREPARED = "waiting for the end of the transaction that it prepared"
    """All of it is stored; the holder of its `PreparedTransaction` commits or aborts it."""
    DEAD = "failed for good"


class ProducerTransactionInput(Enum):
    """Events; those named like calls are the user's."""

    INIT = "init_transactions"
    BEGIN = "begin_transaction"
    SEND = "send"
    OFFSETS = "send_offsets_to_transaction"
    COMMIT = "commit_transaction"
    ABORT = "abort_transaction"
    PREPARE = "prepare_transaction"
    INITIATED = "initiated"
    """The coordinator has assigned an id and epoch."""
    SETTLED = "settled"
    """All its records are stored."""
    HANDED_OVER = "handed over"
    """All its records are stored, and another process ends it."""
    FAIL = "fail"
    """A part of the transaction is lost."""
    ENDED = "ended"
    """The coordinator has done what was requested."""


_S, _I = ProducerTransactionState, ProducerTransactionInput

TRANSITIONS: Mapping[
    ProducerTransactionState, Mapping[ProducerTransactionInput, ProducerTransactionState]
] = MappingProxyType(
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

SENDING = frozenset({_S.OPEN, _S.FLUSHING})
"""New batches are sent."""
DOOMED = frozenset({_S.FAILED, _S.ABORTING})
"""Unsent records are never sent."""
UNDECIDED = SENDING | DOOMED
"""There is a transaction, and the coordinator has no request to commit it."""

WHAT_TO_DO: Mapping[ProducerTransactionState, str] = MappingProxyType(
    {
        _S.NEW: "call init_transactions first",
        _S.READY: "call begin_transaction first",
        _S.OPEN: "end it with commit_transaction or abort_transaction",
        _S.FLUSHING: "call commit_transaction (or prepare_transaction) again, or abort_transaction",
        _S.COMMITTING: "call commit_transaction again, until it returns the outcome",
        _S.ABORTING: "call abort_transaction again, until it succeeds",
        _S.PREPARED: "end it with Admin.end_transactions, then call init_transactions "
        "(earlier, that aborts the prepared transaction)",
    }
)
"""Advice after a call out of order."""
