"""IsrChanges: the controller checks the ISRs that leaders propose.

Source: KIP-497, KIP-903; Kafka's KafkaController.processAlterPartition.
"""

from dataclasses import replace

from barnabas.cluster.draft import Draft
from barnabas.cluster.events import IsrProposed, IsrWritten
from barnabas.cluster.image import PartitionState
from barnabas.cluster.reassignment import finish
from barnabas.cluster.view import View
from barnabas.errors import ErrorCode


def alter_isr(draft: Draft, event: IsrProposed) -> None:
    """Let a leader have its ISR, or refuse it. What is so already is no error."""
    broker = draft.view.image.brokers.get(event.node_id)
    if broker is None or event.broker_epoch not in {-1, broker.epoch}:
        draft.error = ErrorCode.STALE_BROKER_EPOCH
        return
    partition = event.partition
    state = draft.state(partition)
    isr = tuple(node_id for node_id, _ in event.isr)
    if state is None or partition.topic in draft.deletions:
        draft.refuse(partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return
    error = _check(draft.view, event, state, isr)
    if error:
        draft.refuse(partition, error)
    elif set(isr) != set(state.isr):
        draft.change_isr(partition, replace(state, isr=isr, recovering=False))
        finish(draft, partition)


def isr_written(draft: Draft, event: IsrWritten) -> None:
    """Show all brokers what leaders have written; a reassignment may be over with it."""
    for partition in event.partitions:
        draft.batch.show(draft.live_brokers(), [partition])
        finish(draft, partition)


def _check(
    view: View, event: IsrProposed, state: PartitionState, isr: tuple[int, ...]
) -> ErrorCode:
    if event.leader_epoch != state.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if (
        state.leader != event.node_id
        or state.leader not in isr
        or not set(isr) <= {*state.replicas}
    ):
        return ErrorCode.INVALID_REQUEST
    if set(isr) == set(state.isr):
        return ErrorCode.NONE
    if event.partition_epoch != state.partition_epoch:
        return ErrorCode.INVALID_UPDATE_VERSION
    live = view.live(state)
    for node_id, epoch in event.isr:
        broker = view.image.brokers.get(node_id)
        if broker is None or node_id not in live or epoch not in {-1, broker.epoch}:
            return ErrorCode.INELIGIBLE_REPLICA
    return ErrorCode.NONE
