import pytest

from barnabas.broker.groups.consumer_policies import check_protocol
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.protocol.streams_group_describe import (
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

PROPERTY = "group.coordinator.rebalance.protocols"


@pytest.mark.parametrize(
    ("release", "given", "kinds"),
    [
        ("", {}, {"classic", "consumer", "streams"}),
        ("3.9", {}, {"classic"}),
        ("4.0", {}, {"classic", "consumer"}),
        ("", {PROPERTY: "classic,streams"}, {"classic", "streams"}),
    ],
)
def test_kinds_of_groups_are_those_of_the_property(
    release: str, given: dict[str, str], kinds: set[str]
) -> None:
    config = BrokerConfig.load(given, release=release)
    for kind in ("classic", "consumer", "streams"):
        if kind in kinds:
            check_protocol(config, kind)
        else:
            with pytest.raises(BrokerError) as caught:
                check_protocol(config, kind)
            assert caught.value.code is ErrorCode.UNSUPPORTED_VERSION


def test_where_there_are_classic_groups_alone_the_others_are_refused() -> None:
    beat = ConsumerGroupHeartbeatRequest(group_id="g", member_id="one", member_epoch=5)
    consumer = ConsumerGroupDescribeRequest(group_ids=["g"], include_authorized_operations=False)
    streams = StreamsGroupDescribeRequest(group_ids=["g"], include_authorized_operations=False)
    with (
        EmbeddedBroker({PROPERTY: "classic"}) as broker,
        RawClient(broker.port) as client,
    ):
        codes = [
            client.ask(beat, 1, ConsumerGroupHeartbeatResponse).error_code,
            client.ask(consumer, 1, ConsumerGroupDescribeResponse).groups[0].error_code,
            client.ask(streams, 0, StreamsGroupDescribeResponse).groups[0].error_code,
        ]
    assert codes == [ErrorCode.UNSUPPORTED_VERSION] * 3
