from typing import cast

import pytest

from barnabas.broker.apis.elect_leaders import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from tests.unit.broker.in_memory import Led, Replicas, a_broker, answered, asked


@pytest.fixture
def broker() -> Broker:
    made = a_broker()
    made.topics.create("dogs", {0: [1], 1: [1]}, {})
    broken = Led()
    broken.log.failure = StorageError("offline")
    cast("Replicas", made.replicas).update({("dogs", 0): Led(), ("dogs", 1): broken})
    return made


def elected(broker: Broker, request: ElectLeadersRequest) -> ElectLeadersResponse:
    return answered(broker, handle(broker, asked(2), request), ElectLeadersResponse)


@pytest.mark.parametrize(
    ("kind", "nobody"),
    [
        (0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE),
        (1, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE),
    ],
)
def test_who_leads_needs_no_election_and_who_cannot_gets_none(
    broker: Broker, kind: int, nobody: ErrorCode
) -> None:
    wanted = [TopicPartitions(topic="dogs", partitions=[0, 1, 2])]
    request = ElectLeadersRequest(election_type=kind, topic_partitions=wanted)
    (result,) = elected(broker, request).replica_election_results
    codes = [ErrorCode.ELECTION_NOT_NEEDED, nobody, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert [one.error_code for one in result.partition_result] == codes


def test_of_all_partitions_only_those_are_listed_that_need_a_leader(broker: Broker) -> None:
    request = ElectLeadersRequest(topic_partitions=None)
    (result,) = elected(broker, request).replica_election_results
    assert [one.partition_id for one in result.partition_result] == [1]


def test_an_election_of_an_unknown_kind_is_refused_as_a_whole(broker: Broker) -> None:
    wanted = [TopicPartitions(topic="dogs", partitions=[0])]
    request = ElectLeadersRequest(election_type=7, topic_partitions=wanted)
    assert elected(broker, request).error_code == ErrorCode.INVALID_REQUEST
