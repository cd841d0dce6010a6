"""Members with names of 30 KB: all that a member says of itself is charged before it is kept."""

from barnabas.errors import ErrorCode
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

_BUDGET = 1_000_000
_NAME_BYTES = 30_000


def heartbeat(
    number: int, epoch: int = 0, rack: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id="g", member_id=f"m{number}", member_epoch=epoch, rack_id=rack,
        rebalance_timeout_ms=60_000 if epoch == 0 else -1,
        subscribed_topic_names=["words"] if epoch == 0 else None,
        topic_partitions=[] if epoch == 0 else None,
    )  # fmt: skip


def test_members_with_long_racks() -> None:
    """5,000 of them took 210 MB."""
    members = 2 * _BUDGET // _NAME_BYTES
    with (
        EmbeddedBroker({"client.state.max.bytes": str(_BUDGET)}) as broker,
        RawClient(broker.port) as client,
    ):
        broker.create_topic("words", partitions=2)

        def ask(request: ConsumerGroupHeartbeatRequest) -> ConsumerGroupHeartbeatResponse:
            return client.ask(request, 1, ConsumerGroupHeartbeatResponse)

        first = ask(heartbeat(0))
        assert first.error_code == ErrorCode.NONE
        racks = [f"{number} " + "r" * _NAME_BYTES for number in range(members)]
        codes = [ask(heartbeat(1 + n, rack=rack)).error_code for n, rack in enumerate(racks)]
        assert codes[0] == ErrorCode.NONE
        assert codes[-1] == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert codes.count(ErrorCode.NONE) * _NAME_BYTES < _BUDGET
        # One that is a member already grows no more than a new one may.
        grown = ask(heartbeat(0, first.member_epoch, racks[-1]))
        assert grown.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert ask(heartbeat(0, first.member_epoch)).error_code == ErrorCode.NONE
