"""The handlers of what is about producer ids and transactions.

Nobody who only reads and writes needs them: they are imported together when one is first asked for.
"""

from collections.abc import Callable, Mapping
from typing import Never

from barnabas.broker.apis import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    describe_producers,
    describe_transactions,
    end_txn,
    init_producer_id,
    list_transactions,
    txn_offset_commit,
    write_txn_markers,
)
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.protocol.api_keys import ApiKey

TRANSACTION_HANDLERS: Mapping[ApiKey, Callable[[Broker, RequestContext, Never], object]] = {
    ApiKey.INIT_PRODUCER_ID: init_producer_id.handle,
    ApiKey.ADD_PARTITIONS_TO_TXN: add_partitions_to_txn.handle,
    ApiKey.ADD_OFFSETS_TO_TXN: add_offsets_to_txn.handle,
    ApiKey.END_TXN: end_txn.handle,
    ApiKey.WRITE_TXN_MARKERS: write_txn_markers.handle,
    ApiKey.TXN_OFFSET_COMMIT: txn_offset_commit.handle,
    ApiKey.DESCRIBE_PRODUCERS: describe_producers.handle,
    ApiKey.DESCRIBE_TRANSACTIONS: describe_transactions.handle,
    ApiKey.LIST_TRANSACTIONS: list_transactions.handle,
}
