"""How many connections a broker holds, and for how long."""

import logging

import pytest

from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

QUESTION = ApiVersionsRequest(client_software_name="t", client_software_version="1")


@pytest.mark.parametrize("limit", ["max.connections", "max.connections.per.ip"])
def test_one_too_many_is_refused_and_the_others_stay(
    limit: str, caplog: pytest.LogCaptureFixture
) -> None:
    with EmbeddedBroker({limit: 1}) as broker, RawClient(broker.port) as first:
        first.ask(QUESTION, 3, ApiVersionsResponse)
        with caplog.at_level(logging.WARNING), RawClient(broker.port) as second:
            assert second.is_closed_by_the_other_side()
        assert "connection refused" in [record.message for record in caplog.records]
        first.ask(QUESTION, 3, ApiVersionsResponse)


def test_an_idle_connection_is_closed() -> None:
    with (
        EmbeddedBroker({"connections.max.idle.ms": 1000}) as broker,
        RawClient(broker.port) as client,
    ):
        client.ask(QUESTION, 3, ApiVersionsResponse)
        assert client.is_closed_by_the_other_side()


def test_half_a_request_is_forgotten_with_its_connection() -> None:
    with EmbeddedBroker() as broker:
        for _ in range(3):
            with RawClient(broker.port) as client:
                client.send(client.frame(QUESTION, 3)[:-2])
        with RawClient(broker.port) as client:
            client.ask(QUESTION, 3, ApiVersionsResponse)
