"""Threads that put messages in while another one closes."""

import threading
from collections.abc import Sequence

import pytest

from barnabas.client.driver07.outbox import SendQueue
from barnabas.client.driver07.sender import MessageSender, MessagesToSend
from barnabas.config.driver07 import ProducerConfig07
from barnabas.errors import LocalProtocolError

ONE_AT_A_TIME = {
    "producer.type": "async",
    "queue.time": 0,
    "queue.size": 1,
    "batch.size": 1,
    "queue.enqueueTimeout.ms": -1,
}
PATIENCE = 20


class SlowSender(MessageSender):
    """Holds the first message until a test releases it."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.sent: list[str] = []

    def send(self, outgoing: Sequence[MessagesToSend]) -> None:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        self.sent += [one.topic for one in outgoing]


def test_what_was_taken_is_sent_and_who_waits_for_room_is_refused_at_the_end() -> None:
    sender = SlowSender()
    outbox = SendQueue(sender, ProducerConfig07.load(ONE_AT_A_TIME))
    outbox.put(MessagesToSend("first", None, [b"x"]))
    assert sender.begun.wait(PATIENCE)
    outbox.put(MessagesToSend("second", None, [b"x"]))
    refused: list[LocalProtocolError] = []

    def put_in() -> None:
        try:
            outbox.put(MessagesToSend("third", None, [b"x"]))
        except LocalProtocolError as error:
            refused.append(error)

    waiting = threading.Thread(target=put_in)
    closing = threading.Thread(target=outbox.close)
    waiting.start()
    closing.start()
    # Nothing has gone yet: there is no room, and there will be none.
    waiting.join(PATIENCE)
    sender.go.set()
    closing.join(PATIENCE)
    assert [str(error) for error in refused] == ["the producer is closed"]
    with pytest.raises(LocalProtocolError, match="closed"):
        outbox.put(MessagesToSend("fourth", None, [b"x"]))
    assert sender.sent == ["first", "second"]
    assert outbox.given_up == 0
