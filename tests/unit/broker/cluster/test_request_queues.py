"""Requests of a controller to one broker: in order, and none holds up those behind it."""

from typing import cast

from barnabas.broker.cluster.inter_broker import versions_of
from barnabas.broker.cluster.peer_connection import OnAnswer, PeerConnection
from barnabas.broker.cluster.request_queues import RequestQueues
from barnabas.cluster.image import Broker, BrokerEndpoint
from barnabas.cluster.requests import BrokerRequest
from barnabas.errors import LocalProtocolError
from barnabas.protocol.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse
from barnabas.types import NodeId
from tests.unit.runtime.manual_timers import ManualTimers

ONE = NodeId(1)
CANNOT_BE_ENCODED = 1 << 40


class Encoding:
    """A connection whose requests have to be encoded."""

    def __init__(self) -> None:
        self.epochs: list[int] = []
        self._on_answer: OnAnswer | None = None

    def ask(self, _key: object, _version: int, message: object, _s: float, done: OnAnswer) -> None:
        assert self._on_answer is None, "one request at a time"
        epoch = cast("UpdateMetadataRequest", message).controller_epoch
        if epoch == CANNOT_BE_ENCODED:
            raise LocalProtocolError("'i' format requires less")
        self.epochs.append(epoch)
        self._on_answer = done

    def answer(self) -> None:
        done, self._on_answer = self._on_answer, None
        assert done is not None
        done(UpdateMetadataResponse(error_code=0))


def test_what_cannot_be_encoded_is_left_out_and_what_is_behind_it_is_sent() -> None:
    connection, answered = Encoding(), list[int]()
    queues = RequestQueues(
        lambda _address: cast("PeerConnection", connection),
        ManualTimers(),
        versions_of("3.9"),
        lambda request, _response: answered.append(request.message.controller_epoch),
    )
    queues.know({ONE: Broker(ONE, (BrokerEndpoint("PLAINTEXT", "localhost", 1),))})
    for epoch in (CANNOT_BE_ENCODED, 1, CANNOT_BE_ENCODED, CANNOT_BE_ENCODED, 2):
        message = UpdateMetadataRequest(controller_id=1, controller_epoch=epoch, live_brokers=[])
        queues.send([BrokerRequest(ONE, message)])
    connection.answer()
    connection.answer()
    assert (connection.epochs, answered) == ([1, 2], [1, 2])
