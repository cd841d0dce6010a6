import pytest

from barnabas.broker.apis import list_partition_reassignments
from barnabas.broker.apis.alter_partition_reassignments import handle
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from barnabas.protocol.list_partition_reassignments import ListPartitionReassignmentsRequest
from tests.unit.broker.in_memory import a_broker, asked


@pytest.mark.parametrize(
    ("index", "replicas", "code"),
    [
        (0, [1], ErrorCode.NONE),
        (0, [2], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (0, [1, 2], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (0, [], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (0, None, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
        (7, [1], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_a_partition_can_be_moved_to_where_it_is(
    index: int, replicas: list[int] | None, code: ErrorCode
) -> None:
    broker = a_broker()
    broker.topics.create("dogs", {0: [1]}, {})
    wanted = [ReassignablePartition(partition_index=index, replicas=replicas)]
    request = AlterPartitionReassignmentsRequest(
        topics=[ReassignableTopic(name="dogs", partitions=wanted)]
    )
    (topic,) = handle(broker, asked(1), request).responses
    assert [one.error_code for one in topic.partitions] == [code]
    listed = list_partition_reassignments.handle(
        broker, asked(0), ListPartitionReassignmentsRequest()
    )
    assert listed.topics == []
