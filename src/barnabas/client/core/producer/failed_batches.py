"""Batches that failed for good, and the error that a flush raises for them. Sends nothing."""

import logging
from collections import deque
from typing import Final

from barnabas.client.core.producer.delivery import FailedBatch, failure_of
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.errors import BrokerError, FatalError, KafkaError

log = logging.getLogger(__name__)

_REMEMBERED: Final = 1000
_MAY_BE_STORED: Final = (
    "; the records may be stored, because no broker has confirmed or denied that: sending them "
    "again may store them twice"
)


class FailedBatches:
    """The latest failed batches whose error no caller has seen."""

    def __init__(self) -> None:
        self._batches: deque[ProducerBatch] = deque(maxlen=_REMEMBERED)

    def add(self, batch: ProducerBatch, error: KafkaError) -> None:
        """Add a failed batch with its error."""
        what = "records in doubt" if error.may_be_stored else "records lost"
        log.error("%s %s", what, failure_of(batch.where, batch.count, error))
        self._batches.append(batch)

    def clear(self) -> None:
        """The caller knows about them."""
        self._batches.clear()

    def raise_first(self) -> None:
        """Raise an error that no caller has seen yet, and clear it.

        Raises:
            BrokerError: with the code of the first failure; the message counts them.
            FatalError: likewise, if it has ended the producer.
        """
        silent = [batch for batch in self._batches if not batch.observed]
        self._batches.clear()
        if not silent:
            return
        first = silent[0]
        assert isinstance(first.outcome, FailedBatch), "a failed batch has its error"
        error = first.outcome.error
        count = sum(batch.count for batch in silent)
        where = f"{first.where.topic}-{first.where.partition}"
        batches = "1 batch" if len(silent) == 1 else f"{len(silent)} batches"
        many = f"1 record in {batches} was" if count == 1 else f"{count} records in {batches} were"
        what = f"{many} not delivered; the first for {where}"
        if isinstance(error, FatalError):
            raise FatalError(f"{what}: {error}", error.code) from error
        raise BrokerError(error.code, f"{what}: {error}") from error


def in_doubt(error: KafkaError) -> KafkaError:
    """The same error for records that may be stored."""
    kind = type(error)
    same = kind.__new__(kind)
    same.__dict__.update(error.__dict__)
    same.args = (f"{error}{_MAY_BE_STORED}",)
    same.may_be_stored = True
    return same
