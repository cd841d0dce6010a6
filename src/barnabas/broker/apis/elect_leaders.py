"""ElectLeaders (key 43): let partitions choose their leader again (KIP-183, KIP-460).

Does: elects, in a cluster. A broker that is alone reports that no election is needed, because the only
    replica leads, or that none can lead because its log is offline. There, an unclean election gives up
    the records of a log that was lost or damaged at the start: it continues without them, behind all its
    former offsets. A request for all partitions gets only those with a result.
Ignores: `timeout_ms`: there is nothing to wait for.
Versions: 1 unclean elections · 2 flexible
"""

import logging
from collections.abc import Collection, Iterable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown_in_steps, in_steps
from barnabas.broker.requests.partition_view import view
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from barnabas.wire.growing import GrowingArray

log = logging.getLogger(__name__)

_UNCLEAN = 1
_NOBODY = {
    0: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
    _UNCLEAN: ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
}
"""By the type of the election: the error if no replica can lead."""


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: ElectLeadersRequest
) -> Steps[ElectLeadersResponse]:
    """Answer for each partition."""
    del context
    if broker.member is not None:
        # Imported late: a broker that is alone needs none of it.
        from barnabas.broker.requests.cluster_moves import elect

        return (yield from elect(broker.member.controller, request))
    kind, of_all = request.election_type, request.topic_partitions is None

    def of_topic(asked: tuple[str, Collection[int]]) -> Steps[ReplicaElectionResult]:
        name, indexes = asked
        rows: GrowingArray[PartitionResult] = GrowingArray()
        for index in indexes:
            row = _row(broker, name, kind, index)
            if not of_all or row.error_code != ErrorCode.ELECTION_NOT_NEEDED:
                rows.add(row)
            yield rows
        return ReplicaElectionResult(topic=name, partition_result=rows.done())

    results = yield from grown_in_steps(_asked(broker, request), of_topic)
    return ElectLeadersResponse(
        error_code=ErrorCode.NONE if kind in _NOBODY else ErrorCode.INVALID_REQUEST,
        replica_election_results=results,
    )


def _asked(broker: Broker, request: ElectLeadersRequest) -> Iterable[tuple[str, Collection[int]]]:
    if request.topic_partitions is None:
        return [(topic.name, topic.partitions) for topic in broker.topics]
    return ((one.topic, one.partitions) for one in request.topic_partitions)


def _row(broker: Broker, name: str, kind: int, index: int) -> PartitionResult:
    code, why = _outcome(broker, name, index, kind)
    return PartitionResult(partition_id=index, error_code=code, error_message=why)


def _outcome(broker: Broker, name: str, index: int, kind: int) -> tuple[ErrorCode, str | None]:
    if kind not in _NOBODY:
        return ErrorCode.INVALID_REQUEST, None
    topic = broker.topics.get(name)
    if topic is None or index not in topic.partitions:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None
    if view(broker, name, index).leader >= 0:
        return ErrorCode.ELECTION_NOT_NEEDED, None
    if kind != _UNCLEAN:
        return _NOBODY[kind], None
    try:
        broker.topics.give_up(name, index)
    except StorageError as error:
        fields = {"topic": name, "partition": index, "error": error}
        log.warning("partition cannot be given up", extra=fields)
        return _NOBODY[kind], str(error)
    return ErrorCode.NONE, None
