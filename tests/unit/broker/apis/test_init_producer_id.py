import pytest

from barnabas.broker.apis.init_producer_id import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from tests.unit.broker.in_memory import MemoryRegistry, a_broker, asked


def ask(
    broker: Broker, name: str | None = None, known: tuple[int, int] = (-1, -1)
) -> tuple[int, ...]:
    request = InitProducerIdRequest(
        transactional_id=name,
        transaction_timeout_ms=1,
        producer_id=known[0],
        producer_epoch=known[1],
    )
    response = handle(broker, asked(5), request)
    assert isinstance(response, InitProducerIdResponse)
    return response.error_code, response.producer_id, response.producer_epoch


def test_every_producer_gets_an_id_of_its_own() -> None:
    broker = a_broker()
    assert [ask(broker) for _ in range(3)] == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    assert ask(broker, known=(1, 4)) == (0, 3, 0)


def test_ids_are_never_given_again_after_a_restart() -> None:
    registry = MemoryRegistry()
    assert ask(a_broker(registry=registry)) == (0, 0, 0)
    assert ask(a_broker(registry=registry)) == (0, 1000, 0)


@pytest.mark.parametrize(
    ("name", "known"), [("", (-1, -1)), (None, (5, -1)), (None, (-1, 0)), ("t", (5, -1))]
)
def test_what_makes_no_sense_is_refused(name: str | None, known: tuple[int, int]) -> None:
    assert ask(a_broker(), name, known) == (ErrorCode.INVALID_REQUEST, -1, -1)


def test_a_registry_that_cannot_be_read_gives_no_ids() -> None:
    registry = MemoryRegistry()
    registry.set("/latest_producer_id_block", b"not json")
    assert ask(a_broker(registry=registry)) == (ErrorCode.KAFKA_STORAGE_ERROR, -1, -1)
