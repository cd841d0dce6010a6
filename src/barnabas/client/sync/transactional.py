"""The calls of Producer about transactions, for plain threads: as `client.aio.producer.transactional`."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from barnabas.client.aio.producer.producer_core import Shipping
from barnabas.client.aio.producer.transactional import NOT_ABORTED, offsets_and_group, transactor_of
from barnabas.client.core.arguments.where import Where
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.errors import AbortableError, KafkaError
from barnabas.runtime.loops.portal import Portal

log = logging.getLogger(__name__)


class Transactional:
    """What a Producer with a transactional.id can do (KIP-98).

    Each call waits up to max.block.ms. Besides what is said there it raises ConfigError where there
    is no transactional.id, LocalProtocolError where it comes out of order, AbortableError where the
    transaction can only be aborted, and FatalError where a new producer must be made. An error that
    is `retriable` means that it was not done in time: call the same again.
    """

    _shipping: Shipping
    _portal: Portal

    def init_transactions(self) -> None:
        """Make this the only producer of its transactional.id, once, before the first transaction.

        Others are fenced; a transaction that one of them left open is aborted.
        """
        self._portal.call(transactor_of(self._shipping, "init_transactions").init())

    def begin_transaction(self) -> None:
        """Begin: all records that are sent until the end of the transaction count together."""
        self._portal.call(transactor_of(self._shipping, "begin_transaction").begin())

    def send_offsets_to_transaction(
        self, offsets: Mapping[Where, int], group_metadata: GroupMetadata, metadata: str = ""
    ) -> None:
        """Commit positions of a consumer's group if the transaction is committed.

        `offsets` are those of the next records to read, and the group is what `group_metadata()` of
        the consumer says: members of old generations are refused (AbortableError). `metadata` is a
        text that is kept with each position.
        """
        transactor = transactor_of(self._shipping, "send_offsets_to_transaction")
        named = offsets_and_group(offsets, group_metadata)
        self._portal.call(transactor.send_offsets(*named, metadata))

    def commit_transaction(self) -> None:
        """Send all that is in line, and have it all count.

        Raises:
            AbortableError: records were lost, or a coordinator refuses; nothing counts.
        """
        self._portal.call(transactor_of(self._shipping, "commit_transaction").commit())

    def prepare_transaction(self) -> PreparedTransaction:
        """Send all that is in line; another process may then commit or abort the transaction.

        `Admin.end_transactions` does that with what this returns. Closing the producer leaves the
        transaction open; `init_transactions`, here or elsewhere, aborts it. So does its coordinator
        after transaction.timeout.ms.

        Raises:
            AbortableError: records were lost.
        """
        return self._portal.call(transactor_of(self._shipping, "prepare_transaction").prepare())

    def abort_transaction(self) -> None:
        """Have none of it count. Records that are still in line are not sent any more."""
        self._portal.call(transactor_of(self._shipping, "abort_transaction").abort())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that is committed at the end of the `with` block.

        Aborted where an exception leaves the block, or where it cannot be committed.
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
            # Who reads the exception of the block must not find this one in its place.
            log.warning(NOT_ABORTED, error)
