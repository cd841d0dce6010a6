"""Elections and reassignments on request, at the controller of a cluster."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from barnabas.broker.cluster.cluster_controller import ClusterController
from barnabas.broker.purgatory.stepping import Steps, grown
from barnabas.cluster.events import PreferredElection, Reassigned, UncleanElection
from barnabas.cluster.image import PartitionState
from barnabas.cluster.reassignment import is_under_way
from barnabas.cluster.request_parts import some_at_a_time
from barnabas.errors import ErrorCode, KafkaError
from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from barnabas.protocol.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from barnabas.protocol.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from barnabas.types import NodeId, TopicPartition

_ELECTIONS: Mapping[int, type[PreferredElection | UncleanElection]] = {
    0: PreferredElection,
    1: UncleanElection,
}

Row = TypeVar("Row")


_ELECTION_MESSAGES = {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "The partition does not exist."}
"""Where Kafka's controller has more to say than the error's own text."""


def elect(
    controller: ClusterController, request: ElectLeadersRequest
) -> Steps[ElectLeadersResponse]:
    """Elect leaders. A request for all partitions gets those that had an election."""
    kind = _ELECTIONS.get(request.election_type)
    if kind is None:
        return ElectLeadersResponse(
            error_code=ErrorCode.INVALID_REQUEST, replica_election_results=[]
        )
    of_all = request.topic_partitions is None
    rows: dict[TopicPartition, ErrorCode] = {}
    try:
        for some in some_at_a_time(_asked(controller, request)):
            (decision,) = yield controller.take(kind(some))
            for place in some:
                error = decision.errors.get(place, ErrorCode.NONE)
                if not of_all or error != ErrorCode.ELECTION_NOT_NEEDED:
                    rows[place] = error
    except KafkaError as error:
        return ElectLeadersResponse(error_code=error.code, replica_election_results=[])
    results = yield from grown(
        _by_topic(rows).items(),
        lambda row: ReplicaElectionResult(
            topic=row[0],
            partition_result=[
                PartitionResult(
                    partition_id=index, error_code=code, error_message=_ELECTION_MESSAGES.get(code)
                )
                for index, code in row[1].items()
            ],
        ),
    )
    return ElectLeadersResponse(error_code=ErrorCode.NONE, replica_election_results=results)


def _asked(controller: ClusterController, request: ElectLeadersRequest) -> list[TopicPartition]:
    if request.topic_partitions is None:
        view = controller.view
        partitions = [place for place, _ in view.image.partitions()]
        return [one for one in partitions if one.topic not in view.deletions]
    return [
        TopicPartition(one.topic, index)
        for one in request.topic_partitions
        for index in dict.fromkeys(one.partitions)
    ]


def reassign(
    controller: ClusterController, request: AlterPartitionReassignmentsRequest
) -> Steps[AlterPartitionReassignmentsResponse]:
    """Begin to move partitions, or call it off."""
    targets = {
        TopicPartition(topic.name, row.partition_index): (
            None if row.replicas is None else tuple(map(NodeId, row.replicas))
        )
        for topic in request.topics
        for row in topic.partitions
    }
    allowed = request.allow_replication_factor_change
    rows: dict[TopicPartition, ErrorCode] = {}
    try:
        for some in some_at_a_time([*targets]):
            (decision,) = yield controller.take(
                Reassigned({place: targets[place] for place in some})
            )
            rows.update((place, decision.errors.get(place, ErrorCode.NONE)) for place in some)
    except KafkaError as error:
        return AlterPartitionReassignmentsResponse(
            allow_replication_factor_change=allowed, error_code=error.code, responses=[]
        )
    responses = yield from grown(
        _by_topic(rows).items(),
        lambda row: ReassignableTopicResponse(
            name=row[0],
            partitions=[
                ReassignablePartitionResponse(
                    partition_index=index, error_code=code, error_message=_why(code)
                )
                for index, code in row[1].items()
            ],
        ),
    )
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=allowed, error_code=ErrorCode.NONE, responses=responses
    )


def _why(code: ErrorCode) -> str | None:
    return code.name.lower().replace("_", " ") if code else None


def list_moves(
    controller: ClusterController, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    """The partitions that are being moved: all, or the requested ones."""
    try:
        image = controller.view.image
    except KafkaError as error:
        return ListPartitionReassignmentsResponse(error_code=error.code, topics=[])
    asked: Iterable[TopicPartition] = (place for place, _ in image.partitions())
    if request.topics is not None:
        asked = [
            TopicPartition(topic.name, index)
            for topic in request.topics
            for index in dict.fromkeys(topic.partition_indexes)
        ]
    moving = {
        place: state
        for place in asked
        if (state := image.partition(place)) is not None and is_under_way(state)
    }
    return ListPartitionReassignmentsResponse(
        error_code=ErrorCode.NONE,
        topics=[
            OngoingTopicReassignment(
                name=name,
                partitions=[_moving(index, state) for index, state in of_topic.items()],
            )
            for name, of_topic in _by_topic(moving).items()
        ],
    )


def _moving(index: int, state: PartitionState) -> OngoingPartitionReassignment:
    return OngoingPartitionReassignment(
        partition_index=index,
        replicas=[*state.replicas],
        adding_replicas=[*state.adding],
        removing_replicas=[*state.removing],
    )


def _by_topic(rows: Mapping[TopicPartition, Row]) -> dict[str, dict[int, Row]]:
    found: dict[str, dict[int, Row]] = {}
    for place, row in rows.items():
        found.setdefault(place.topic, {})[place.partition] = row
    return found
