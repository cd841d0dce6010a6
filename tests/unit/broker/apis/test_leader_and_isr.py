"""A broker that is alone takes no orders, and says nothing of those APIs."""

import pytest

from barnabas.broker.apis import leader_and_isr, stop_replica, update_metadata
from barnabas.broker.dispatch import BETWEEN_BROKERS, SERVED
from barnabas.broker.profiles import of_member, profile_of
from barnabas.errors import ErrorCode
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from tests.unit.broker.in_memory import a_broker, asked

REFUSED = ErrorCode.CLUSTER_AUTHORIZATION_FAILED


def test_orders_are_refused() -> None:
    broker = a_broker()
    lead = LeaderAndIsrRequest(controller_id=9, controller_epoch=1, live_leaders=[])
    assert leader_and_isr.handle(broker, asked(4), lead).error_code == REFUSED
    stop = StopReplicaRequest(controller_id=9, controller_epoch=1)
    assert stop_replica.handle(broker, asked(3), stop).error_code == REFUSED
    know = UpdateMetadataRequest(controller_id=9, controller_epoch=1, live_brokers=[])
    assert update_metadata.handle(broker, asked(6), know).error_code == REFUSED


@pytest.mark.parametrize("release", ["", "2.8", "0.11.0"])
def test_only_a_member_advertises_them(release: str) -> None:
    alone = profile_of(release)
    assert not BETWEEN_BROKERS.keys() & SERVED.keys()
    assert not BETWEEN_BROKERS.keys() & alone.advertised.keys()
    assert BETWEEN_BROKERS.keys() <= of_member(alone, "3.9").advertised.keys()
