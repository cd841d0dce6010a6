"""The calls of Producer about transactions, for threads: see `client.aio.producer.transactional`."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from barnabas.client.aio.producer.producer_core import ProducerCore
from barnabas.client.aio.producer.transactional import (
    NOT_ABORTED,
    offsets_and_group,
    transaction_driver_of,
)
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.errors import AbortableError, KafkaError
from barnabas.runtime.loops.portal import Portal

log = logging.getLogger(__name__)


class Transactional:
    """The calls of a Producer with a transactional.id (KIP-98).

    Each call waits up to max.block.ms. Besides its own errors it raises ConfigError without a
    transactional.id, LocalProtocolError if called out of order, AbortableError if the transaction
    can only be aborted, and FatalError if you must create a new producer. An error that is
    `retriable` means that the call did not complete in time: call it again.
    """

    _core: ProducerCore
    _portal: Portal

    def init_transactions(self) -> None:
        """Make this the only producer of its transactional.id; call it once, before the first transaction.

        Other producers are fenced; a transaction that one of them left open is aborted.
        """
        self._portal.call(transaction_driver_of(self._core, "init_transactions").init())

    def begin_transaction(self) -> None:
        """Begin a transaction: all records sent until its end are committed or aborted together."""
        self._portal.call(transaction_driver_of(self._core, "begin_transaction").begin())

    def send_offsets_to_transaction(
        self, offsets: Mapping[Where, int], group_metadata: GroupMetadata, metadata: str = ""
    ) -> None:
        """Commit positions of a consumer's group together with the transaction.

        `offsets` are those of the next records to read. The group comes from the consumer's
        `group_metadata()`: members of old generations are refused (AbortableError). `metadata` is a
        text stored with each position.
        """
        transaction_driver = transaction_driver_of(self._core, "send_offsets_to_transaction")
        named = offsets_and_group(offsets, group_metadata)
        self._portal.call(transaction_driver.send_offsets(*named, metadata))

    def commit_transaction(self) -> None:
        """Send everything queued, and commit the transaction.

        Raises:
            AbortableError: records were lost, or a coordinator refuses; nothing is committed.
        """
        self._portal.call(transaction_driver_of(self._core, "commit_transaction").commit())

    def prepare_transaction(self) -> PreparedTransaction:
        """Send everything queued; another process may then commit or abort the transaction.

        That process passes the returned value to `Admin.end_transactions`. Closing the producer
        leaves the transaction open; `init_transactions`, here or elsewhere, aborts it. So does its
        coordinator after transaction.timeout.ms.

        Raises:
            AbortableError: records were lost.
        """
        return self._portal.call(transaction_driver_of(self._core, "prepare_transaction").prepare())

    def abort_transaction(self) -> None:
        """Abort the transaction. Queued records are not sent any more."""
        self._portal.call(transaction_driver_of(self._core, "abort_transaction").abort())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that is committed at the end of the `with` block.

        It is aborted if an exception leaves the block, or if the commit fails.
        """
        self.begin_transaction()
        try:
            yield
        except BaseException:
            self._abort_quietly()
            raise
        try:
            self.commit_transaction()
        except AbortableError:
            self._abort_quietly()
            raise

    def _abort_quietly(self) -> None:
        try:
            self.abort_transaction()
        except KafkaError as error:
            # The exception of the block must not be replaced by this one.
            log.warning(NOT_ABORTED, error)
