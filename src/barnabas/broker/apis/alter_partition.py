"""AlterPartition (key 56): a leader asks the controller to change the ISR (KIP-497).

Does: takes what the leader may have, in steps, a transaction for some partitions each; answers with what
    is so then.
Refuses: other brokers than the leader, and old epochs, each partition by itself; all while this broker is
    not the controller.
Versions: 1 recovery state (ignored: it is over with any change) · 2 topic ids, a code of its own for
    replicas that may not be in sync (KIP-841) · 3 epochs of the brokers in sync (KIP-903)
"""

from collections.abc import Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.cluster.events import IsrProposed
from barnabas.cluster.image import ClusterImage
from barnabas.cluster.view import Decision
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartition,
    AlterPartitionRequestTopic,
    AlterPartitionResponse,
    AlterPartitionResponsePartition,
    AlterPartitionResponseTopic,
)
from barnabas.types import NodeId, TopicPartition
from barnabas.versions import VersionTable

_AT_ONCE = 100
"""Partitions: what is decided and written for them takes some milliseconds."""
_BY_ID = VersionTable({0: False, 2: True})


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AlterPartitionRequest
) -> Steps[AlterPartitionResponse]:
    """Change ISRs."""
    if broker.member is None:
        return AlterPartitionResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED, topics=[])
    controller, by_id = broker.member.controller, _BY_ID[context.api_version]
    asked = [(topic, row) for topic in request.topics for row in topic.partitions]
    made: list[AlterPartitionResponsePartition] = []
    for first in range(0, len(asked), _AT_ONCE):
        image = controller.view.image
        events = [
            _event(request, _name(image, topic, by_id=by_id), row)
            for topic, row in asked[first : first + _AT_ONCE]
        ]
        try:
            decisions = yield controller.take(*events)
            made += _altered(events, decisions, by_id=by_id)
        except KafkaError as error:
            return AlterPartitionResponse(error_code=error.code, topics=[])
    rows = iter(made)
    topics = yield from grown(
        request.topics,
        lambda topic: AlterPartitionResponseTopic(
            topic_name=topic.topic_name,
            topic_id=topic.topic_id,
            partitions=[next(rows) for _ in topic.partitions],
        ),
    )
    return AlterPartitionResponse(error_code=ErrorCode.NONE, topics=topics)


def _altered(
    events: Sequence[IsrProposed], decisions: Sequence[Decision], *, by_id: bool
) -> list[AlterPartitionResponsePartition]:
    """Raises BrokerError: none of them."""
    refused = next((one.error for one in decisions if one.error), ErrorCode.NONE)
    if refused:
        raise BrokerError(refused, "the leader may change no ISR")
    unknown = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return [
        _row(event, decision, unknown, by_id=by_id)
        for event, decision in zip(events, decisions, strict=True)
    ]


def _name(image: ClusterImage, topic: AlterPartitionRequestTopic, *, by_id: bool) -> str:
    return image.names.get(topic.topic_id, "") if by_id else topic.topic_name


def _event(
    request: AlterPartitionRequest, name: str, row: AlterPartitionRequestPartition
) -> IsrProposed:
    # A broker that is named twice is in sync once.
    isr = dict.fromkeys(map(NodeId, row.new_isr), -1)
    isr.update((NodeId(one.broker_id), one.broker_epoch) for one in row.new_isr_with_epochs)
    return IsrProposed(
        NodeId(request.broker_id),
        request.broker_epoch,
        TopicPartition(name, row.partition_index),
        tuple(isr.items()),
        row.leader_epoch,
        row.partition_epoch,
    )


def _row(
    event: IsrProposed, decision: Decision, unknown: ErrorCode, *, by_id: bool
) -> AlterPartitionResponsePartition:
    place = event.partition
    code = decision.errors.get(place, ErrorCode.NONE)
    if code == ErrorCode.INELIGIBLE_REPLICA and not by_id:
        code = ErrorCode.OPERATION_NOT_ATTEMPTED
    state = decision.after.image.partition(place)
    if code or state is None:
        return AlterPartitionResponsePartition(
            partition_index=place.partition,
            error_code=code if place.topic else unknown,
            leader_id=-1,
            leader_epoch=-1,
            isr=[],
            partition_epoch=-1,
        )
    return AlterPartitionResponsePartition(
        partition_index=place.partition,
        error_code=ErrorCode.NONE,
        leader_id=state.leader,
        leader_epoch=state.leader_epoch,
        isr=[*state.isr],
        leader_recovery_state=int(state.recovering),
        partition_epoch=state.partition_epoch,
    )
