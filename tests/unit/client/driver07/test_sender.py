"""A set that cannot be sent to all its brokers."""

import pytest

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.routing import Destination
from barnabas.client.driver07.sender import MessageSender, MessagesToSend
from barnabas.config.driver07 import ProducerConfig07
from barnabas.errors import ConnectionFailed, KafkaError, RegistryUnavailable
from barnabas.runtime.entropy import SystemEntropy

HERE = Destination(BrokerPartition(1, 0), Address("here", 1))


class Routing:
    """Knows of `dogs` always, and of `cats` when it was asked often enough."""

    def __init__(self, fails: int, error: KafkaError | None) -> None:
        self.fails = fails
        self.error = error

    def destinations(self, topic: str) -> list[Destination]:
        if topic == "cats" and self.fails:
            self.fails -= 1
            if self.error is not None:
                raise self.error
            return []
        return [HERE]

    def forget(self) -> None:
        pass

    def close(self) -> None:
        pass


class RecordingSender(MessageSender):
    """Tells a list instead of brokers."""

    def __init__(self, routing: Routing, retries: int) -> None:
        config = ProducerConfig07.load({"num.retries": retries})
        super().__init__(routing, config, lambda _key, _count: 0, SystemEntropy())  # type: ignore[arg-type]
        self.received: list[str] = []

    def _tell(self, address: Address, chosen: list[tuple[MessagesToSend, BrokerPartition]]) -> None:
        self.received += [one.topic for one, _ in chosen]


BATCH = [MessagesToSend("cats", None, [b"tom"]), MessagesToSend("dogs", None, [b"rex"])]


@pytest.mark.parametrize("error", [None, RegistryUnavailable("away")])
def test_a_topic_without_a_broker_holds_up_no_other_and_is_tried_again(
    error: KafkaError | None,
) -> None:
    sender = RecordingSender(Routing(1, error), retries=1)
    sender.send(BATCH)
    assert sender.received == ["dogs", "cats"]


@pytest.mark.parametrize("error", [None, RegistryUnavailable("away")])
def test_what_cannot_go_out_at_all_is_an_error_after_the_rest_went(
    error: KafkaError | None,
) -> None:
    sender = RecordingSender(Routing(9, error), retries=0)
    with pytest.raises(RegistryUnavailable if error else ConnectionFailed):
        sender.send(BATCH)
    assert sender.received == ["dogs"]
