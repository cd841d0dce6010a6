"""DescribeTransactions (key 65): the state and partitions of transactions (KIP-664).

Does: returns the stored state of each transactional id.
Refuses: unknown and empty transactional ids.
"""

from functools import partial
from itertools import groupby

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps_while_connected
from barnabas.coordinators.transaction.transaction import Transaction
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeTransactionsRequest
) -> Steps[DescribeTransactionsResponse]:
    """Describe each of these transactional ids."""
    del context
    states = yield from grown(request.transactional_ids, partial(_state, broker), few=1)
    return DescribeTransactionsResponse(transaction_states=states)


def _state(broker: Broker, transactional_id: str) -> TransactionState:
    if not transactional_id:
        return _unknown(transactional_id, ErrorCode.INVALID_REQUEST)
    try:
        known = broker.transactions.find(transactional_id)
    except BrokerError as error:
        return _unknown(transactional_id, error.code)
    if known is None:
        return _unknown(transactional_id, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    return TransactionState(
        error_code=ErrorCode.NONE,
        transactional_id=transactional_id,
        transaction_state=known.state.value,
        transaction_timeout_ms=known.timeout_ms,
        transaction_start_time_ms=known.started_ms,
        producer_id=known.producer.id,
        producer_epoch=known.producer.epoch,
        topics=_topics(known),
    )


def _topics(known: Transaction) -> list[TopicData]:
    return [
        TopicData(topic=topic, partitions=[one.partition for one in partitions])
        for topic, partitions in groupby(sorted(known.partitions), lambda one: one.topic)
    ]


def _unknown(transactional_id: str, code: ErrorCode) -> TransactionState:
    return TransactionState(
        error_code=code,
        transactional_id=transactional_id,
        transaction_state="",
        transaction_timeout_ms=0,
        transaction_start_time_ms=0,
        producer_id=0,
        producer_epoch=0,
        topics=[],
    )
