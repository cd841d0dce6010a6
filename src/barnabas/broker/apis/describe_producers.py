"""DescribeProducers (key 61): the producers with an id that write to partitions (KIP-664).

Does: returns all producers that a partition remembers, in the order of their ids.
Refuses: partitions that do not exist, and invalid topic names.
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import (
    Steps,
    grown,
    grown_in_steps,
    in_steps_while_connected,
)
from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.errors import ErrorCode
from barnabas.log.producers.producer_state import ProducerEntry
from barnabas.protocol.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicRequest,
    TopicResponse,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeProducersRequest
) -> Steps[DescribeProducersResponse]:
    """Describe them."""
    del context
    topics = yield from grown_in_steps(request.topics, partial(_topic, broker))
    return DescribeProducersResponse(topics=topics)


def _topic(broker: Broker, asked: TopicRequest) -> Steps[TopicResponse]:
    partitions = yield from grown_in_steps(
        asked.partition_indexes, partial(_partition, broker, asked.name)
    )
    return TopicResponse(name=asked.name, partitions=partitions)


def _partition(broker: Broker, topic: str, index: int) -> Steps[PartitionResponse]:
    partition = broker.replicas.find(topic, index)
    if partition is None:
        code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if problem_of_name(topic):
            code = ErrorCode.INVALID_TOPIC_EXCEPTION
        return PartitionResponse(partition_index=index, error_code=code, active_producers=[])
    entries = sorted(partition.log.producers.entries(), key=lambda one: one.producer_id)
    producers = yield from grown(entries, _producer)
    return PartitionResponse(
        partition_index=index, error_code=ErrorCode.NONE, active_producers=producers
    )


def _producer(entry: ProducerEntry) -> ProducerState:
    return ProducerState(
        producer_id=entry.producer_id,
        producer_epoch=entry.epoch,
        last_sequence=entry.last.last_sequence if entry.last else -1,
        last_timestamp=entry.last_timestamp,
        coordinator_epoch=entry.coordinator_epoch,
        current_txn_start_offset=entry.transaction_start,
    )
