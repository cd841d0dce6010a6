"""Requests of an admin client about transactions. Each function sends once; the caller retries.

Source: KIP-664; Kafka's TransactionsCommand defines what hangs.
"""

from collections.abc import Collection, Iterable, Mapping

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import by_leader
from barnabas.client.core.admin.transaction_descriptions import (
    ActiveProducer,
    HangingTransaction,
    TransactionDescription,
    TransactionListing,
)
from barnabas.client.core.group.subscription import by_topic
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_producers import DescribeProducersRequest, TopicRequest
from barnabas.protocol.describe_transactions import DescribeTransactionsRequest
from barnabas.protocol.init_producer_id import InitProducerIdRequest
from barnabas.protocol.list_transactions import ListTransactionsRequest
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from barnabas.types import TopicPartition

_FENCE_TIMEOUT_MS = 1
"""The fencing client begins no transaction. Source: Kafka's FenceProducersHandler."""


async def listed_transactions(
    cluster: Cluster, states: Collection[str], producer_ids: Collection[int], running_ms: int
) -> list[TransactionListing]:
    """Return the transactional ids of all brokers, by name."""
    if cluster.view.updates == 0:
        await cluster.metadata.updated()
    request = ListTransactionsRequest(
        state_filters=list(states),
        producer_id_filters=list(producer_ids),
        duration_filter=running_ms,
    )
    found: dict[str, TransactionListing] = {}
    for node_id in sorted(cluster.view.brokers):
        reply = await cluster.ask(request, node_id=node_id)
        if reply.error_code:
            raise BrokerError(reply.error_code, f"listing transactions of broker {node_id}")
        for row in reply.transaction_states:
            found[row.transactional_id] = TransactionListing(
                row.transactional_id, row.producer_id, row.transaction_state
            )
    return [found[name] for name in sorted(found)]


async def described_transaction(coordinator: Coordinator) -> TransactionDescription:
    """One transactional id."""
    name = coordinator.group_id
    reply = await coordinator.ask(DescribeTransactionsRequest(transactional_ids=[name]))
    (row,) = reply.transaction_states
    missing = row.error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    coordinator.check(row.error_code, "it is not known" if missing else "describing it")
    return TransactionDescription(
        name,
        coordinator.node_id,
        row.transaction_state,
        row.producer_id,
        row.producer_epoch,
        row.transaction_timeout_ms,
        row.transaction_start_time_ms if row.topics else None,
        tuple(
            TopicPartition(topic.topic, index) for topic in row.topics for index in topic.partitions
        ),
    )


async def fenced(coordinator: Coordinator) -> None:
    """Fence the producer of a transactional id; this aborts an open transaction."""
    request = InitProducerIdRequest(
        transactional_id=coordinator.group_id, transaction_timeout_ms=_FENCE_TIMEOUT_MS
    )
    reply = await coordinator.ask(request)
    coordinator.check(reply.error_code, "fencing its producer")


_REPLACED = "it is no longer open (aborted, or its producer started again)"
_NOT_OPEN = {
    ErrorCode.INVALID_TXN_STATE: "it has ended the other way, or holds nothing",
    ErrorCode.PRODUCER_FENCED: _REPLACED,
    ErrorCode.INVALID_PRODUCER_EPOCH: _REPLACED,
}
"""Why a coordinator refuses to end a prepared transaction."""


async def ended(
    coordinator: Coordinator, transaction: PreparedTransaction, *, commit: bool
) -> None:
    """Commit or abort a prepared transaction. Repetition does no harm."""
    request = transaction.identity.end(commit=commit)
    reply = await coordinator.ask(request, at_most=transaction.end_at_most)
    what = "commit" if commit else "abort"
    reason = _NOT_OPEN.get(ErrorCode.of(reply.error_code))
    coordinator.check(reply.error_code, f"cannot {what}: {reason}" if reason else f"{what} failed")


async def active_producers(
    cluster: Cluster, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, list[ActiveProducer]]:
    """Return the producers that partitions remember."""
    found: dict[TopicPartition, list[ActiveProducer]] = {}
    for node_id, group in (await by_leader(cluster, partitions)).items():
        topics = [
            TopicRequest(name=name, partition_indexes=list(indexes))
            for name, indexes in by_topic(group).items()
        ]
        reply = await cluster.ask(DescribeProducersRequest(topics=topics), node_id=node_id)
        for topic in reply.topics:
            for one in topic.partitions:
                where = TopicPartition(topic.name, one.partition_index)
                if one.error_code:
                    what = one.error_message or f"producers of {where.topic}-{where.partition}"
                    raise BrokerError(one.error_code, what)
                found[where] = [
                    ActiveProducer(
                        each.producer_id,
                        each.producer_epoch,
                        _known(each.last_sequence),
                        each.last_timestamp,
                        _known(each.coordinator_epoch),
                        _known(each.current_txn_start_offset),
                    )
                    for each in one.active_producers
                ]
    return found


def _known(number: int) -> int | None:
    return None if number < 0 else number


async def aborted(cluster: Cluster, where: TopicPartition, start: int) -> None:
    """Abort the transaction that starts at an offset of one partition, there and nowhere else."""
    for producer in (await active_producers(cluster, [where]))[where]:
        if producer.transaction_start == start:
            await _mark(cluster, where, producer)
            return
    what = f"no open transaction of {where.topic}-{where.partition} begins at {start}"
    raise BrokerError(ErrorCode.INVALID_TXN_STATE, what)


async def _mark(cluster: Cluster, where: TopicPartition, producer: ActiveProducer) -> None:
    marker = WritableTxnMarker(
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        transaction_result=False,
        topics=[WritableTxnMarkerTopic(name=where.topic, partition_indexes=[where.partition])],
        coordinator_epoch=producer.coordinator_epoch or 0,
    )
    (node_id,) = await by_leader(cluster, [where])
    reply = await cluster.ask(WriteTxnMarkersRequest(markers=[marker]), node_id=node_id)
    code = reply.markers[0].topics[0].partitions[0].error_code
    if code:
        raise BrokerError(code, f"aborting a transaction of {where.topic}-{where.partition}")


async def hanging(
    cluster: Cluster, partitions: Iterable[TopicPartition], idle_since_ms: int
) -> list[HangingTransaction]:
    """Return open transactions of producers last active before a time that no coordinator will end."""
    suspects = [
        (where, producer)
        for where, producers in (await active_producers(cluster, partitions)).items()
        for producer in producers
        if producer.transaction_start is not None and producer.last_timestamp < idle_since_ms
    ]
    if not suspects:
        return []
    ids = {producer.producer_id for _, producer in suspects}
    names = {one.producer_id: one for one in await listed_transactions(cluster, (), ids, -1)}
    known = {
        name: await described_transaction(Coordinator(cluster, name, of_transaction=True))
        for name in {one.transactional_id for one in names.values()}
    }
    return [
        HangingTransaction(where, producer, name)
        for where, producer in suspects
        for name in [
            names[producer.producer_id].transactional_id if producer.producer_id in names else None
        ]
        if not _will_end(known, name, where, producer)
    ]


def _will_end(
    known: Mapping[str, TransactionDescription],
    name: str | None,
    where: TopicPartition,
    producer: ActiveProducer,
) -> bool:
    """Whether a coordinator has this partition in a transaction that it ends, or will end."""
    found = known.get(name or "")
    return (
        found is not None
        and found.producer_id == producer.producer_id
        and where in found.partitions
    )
