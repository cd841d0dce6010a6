"""What waits to be sent to another broker is answered, also where that broker goes."""

from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_connection import Address, OnAnswer
from barnabas.broker.cluster.peer_queues import Exchange, PeerQueues
from barnabas.errors import ConnectionFailed
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import NodeId
from tests.unit.runtime.manual_timers import ManualTimers

PEER = NodeId(2)


class Peer:
    """A connection that answers when a test says so."""

    def __init__(self) -> None:
        self.requests: list[object] = []
        self.on_answer: OnAnswer | None = None

    @property
    def is_busy(self) -> bool:
        return self.on_answer is not None

    def ask(
        self, _key: ApiKey, _version: int, message: object, _seconds: float, on_answer: OnAnswer
    ) -> None:
        self.requests.append(message)
        self.on_answer = on_answer

    def answer(self, response: object) -> None:
        on_answer, self.on_answer = self.on_answer, None
        assert on_answer is not None
        on_answer(response)


class Sender:
    """Sends words, two in a request, to one broker."""

    def __init__(self) -> None:
        self.peer = Peer()
        self.timers = ManualTimers()
        self.answers: list[tuple[tuple[str, ...], object]] = []
        endpoint = SimpleNamespace(host="h", port=2, security_protocol=0)
        self.brokers: dict[NodeId, object] = {PEER: SimpleNamespace(endpoints=[endpoint])}
        member = SimpleNamespace(
            image=SimpleNamespace(brokers=self.brokers), on_close=[], connect=self._connect
        )
        self.queues = PeerQueues[str](cast("ClusterMember", member), self.timers, self._begin)

    def _connect(self, _address: Address) -> Any:
        return self.peer

    def _begin(self, waiting: list[str]) -> Exchange:
        words = tuple(waiting[:2])
        del waiting[:2]
        return Exchange(ApiKey.FETCH, 0, words, partial(self._take, words))

    def _take(self, words: tuple[str, ...], response: object) -> None:
        self.answers.append((words, response))
        if response == "bad":
            raise ValueError(response)


def test_what_comes_while_a_request_is_out_goes_with_the_next() -> None:
    sender = Sender()
    assert sender.queues.add(PEER, "a")
    sender.timers.run_soon()
    for word in "bcd":
        sender.queues.add(PEER, word)
    sender.timers.run_soon()
    assert sender.peer.requests == [("a",)]
    for _ in range(3):
        sender.peer.answer("good")
        sender.timers.run_soon()
        if not sender.peer.is_busy:
            break
    assert sender.answers == [(("a",), "good"), (("b", "c"), "good"), (("d",), "good")]


def test_nothing_is_taken_for_a_broker_that_is_not_there() -> None:
    assert not Sender().queues.add(NodeId(3), "a")


def test_what_waits_is_answered_if_the_broker_goes_before_it_was_ever_asked() -> None:
    sender = Sender()
    for word in "abc":
        sender.queues.add(PEER, word)
    del sender.brokers[PEER]
    sender.timers.run_soon()
    assert [words for words, _ in sender.answers] == [("a", "b"), ("c",)]
    assert all(isinstance(response, ConnectionFailed) for _, response in sender.answers)
    assert not sender.queues.add(PEER, "d")


def test_what_waits_is_sent_also_after_an_answer_that_cannot_be_taken() -> None:
    sender = Sender()
    for word in "abc":
        sender.queues.add(PEER, word)
    sender.timers.run_soon()
    with pytest.raises(ValueError, match="bad"):
        sender.peer.answer("bad")
    sender.timers.run_soon()
    assert sender.peer.requests == [("a", "b"), ("c",)]
