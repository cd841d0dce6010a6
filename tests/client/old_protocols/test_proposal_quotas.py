"""Quotas where replies may overtake each other: only what its client has to wait for is kept back."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from barnabas.dialects.proposal.frames import Asked, decode_response, encode_request
from barnabas.dialects.proposal.messages import (
    FetchResponse,
    OffsetsRequest,
    OffsetsResponse,
    ProduceResponse,
)
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.records.messages07.message07 import encode_message
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient
from tests.wires.proposal_wire import ProposalWire, fetch, produce

pytestmark = pytest.mark.kernels

LARGE = encode_message(bytes(1000))
ASK = OffsetsRequest(topic="t", partition=0, time=-1, max_number=1)


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,NEW://127.0.0.1:0",
        "listener.dialect.map": "NEW:proposal",
        "quota.window.num": "2",
    }
    with EmbeddedBroker(config) as made:
        yield made


@contextmanager
def limited(broker: EmbeddedBroker, key: str, rate: float) -> Iterator[ProposalWire]:
    """A connection of a client that has this quota, to a topic with a large message."""
    entity = [EntityData(entity_type="client-id", entity_name="t")]
    ops = [OpData(key=key, value=rate, remove=False)]
    request = AlterClientQuotasRequest(
        entries=[AlteredEntity(entity=entity, ops=ops)], validate_only=False
    )
    with ProposalWire(broker.port_of("NEW")) as wire, RawClient(broker.port) as admin:
        wire.send(produce(1, ("t", 0, LARGE)), 1)
        wire.reply()
        assert admin.ask(request, 1, AlterClientQuotasResponse).entries[0].error_code == 0
        yield wire


def send_together(wire: ProposalWire, *asked: Asked) -> None:
    """Requests with the numbers from 2 on, in one piece."""
    wire.send(b"".join(wire.frame(one, number) for number, one in enumerate(asked, 2)))


def end(broker: EmbeddedBroker) -> int:
    """The end of the topic, requested by a client without a quota."""
    with ProposalWire(broker.port_of("NEW")) as wire:
        wire.send(encode_request(ASK, 1, "other").joined())
        return decode_response(wire.reply(), OffsetsResponse)[1].offsets[0]


def test_what_was_too_much_is_answered_later_and_the_rest_at_once(broker: EmbeddedBroker) -> None:
    with limited(broker, "producer_byte_rate", 700) as wire:
        send_together(wire, produce(1, ("t", 0, LARGE)), ASK, ASK)
        header, _ = decode_response(wire.reply(), OffsetsResponse)
        assert header.correlation_id == 3
        assert decode_response(wire.reply(), OffsetsResponse)[0].correlation_id == 4
        header, stored = decode_response(wire.reply(), ProduceResponse)
        assert (header.correlation_id, stored.errors) == (2, [0])


def test_a_fetch_for_which_there_is_no_quota_gets_nothing_and_later(broker: EmbeddedBroker) -> None:
    with limited(broker, "consumer_byte_rate", 1100) as wire:
        send_together(wire, fetch(("t", [0], [0])), fetch(("t", [0], [0])), ASK)
        replies = [wire.reply() for _ in range(3)]
    header, first = decode_response(replies[0], FetchResponse)
    assert header.correlation_id == 2
    assert first.data[0].partition_data[0].messages == LARGE
    assert decode_response(replies[1], OffsetsResponse)[0].correlation_id == 4
    header, second = decode_response(replies[2], FetchResponse)
    assert (header.correlation_id, header.error, second.data) == (3, 0, [])


def test_who_wants_no_replies_is_not_read_for_a_while(broker: EmbeddedBroker) -> None:
    with limited(broker, "producer_byte_rate", 1) as wire:
        wire.send(produce(0, ("t", 0, LARGE)), 2)
        while end(broker) < 2 * len(LARGE):
            pass
        wire.send(produce(0, ("t", 0, LARGE)), 3)
        assert [end(broker) for _ in range(20)] == [2 * len(LARGE)] * 20


def test_a_broker_that_stops_gives_what_it_kept_back(broker: EmbeddedBroker) -> None:
    with limited(broker, "producer_byte_rate", 1) as wire:
        send_together(wire, produce(1, ("t", 0, LARGE)), ASK)
        assert decode_response(wire.reply(), OffsetsResponse)[0].correlation_id == 3
        broker.stop()
        assert decode_response(wire.reply(), ProduceResponse)[0].correlation_id == 2
        assert wire.is_closed()
