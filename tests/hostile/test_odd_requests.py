"""What no client would ask is answered, or ends its connection; the broker does not stumble over it."""

import logging
import random
import socket

import pytest

from barnabas.broker.profiles import profile_of
from barnabas.errors import LocalProtocolError
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.testing import EmbeddedBroker
from tests.hostile.odd_requests import odd_requests
from tests.unit.broker.raw_client import RawClient

REQUESTS = 400
PATIENCE_SECONDS = 0.1
"""For an answer: some have none, or wait for a group. What is not waited for is judged all the same."""
PROPERTIES = {"group.initial.rebalance.delay.ms": 0, "group.min.session.timeout.ms": 1}


@pytest.mark.parametrize("profile", [None, "0.10.2", "1.1"])
def test_odd_requests_are_no_trouble(profile: str | None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    served = profile_of(profile or "").served
    chance = random.Random(f"odd {profile}")
    asked = []
    with EmbeddedBroker(PROPERTIES, profile=profile) as broker:
        broker.create_topic("t")
        for name, frame in odd_requests(served, chance, REQUESTS):
            asked.append(name)
            _ask(broker.port, frame)
            assert not (found := _troubles(caplog)), f"{found} at or before {asked[-3:]}"
        with RawClient(broker.port) as client:
            response = client.ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
    assert response.error_code == 0
    assert not _troubles(caplog)


def _ask(port: int, frame: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(PATIENCE_SECONDS)
        connection.sendall(frame)
        try:
            connection.recv(1)
        except (TimeoutError, ConnectionResetError):
            return


def _troubles(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Failures of the broker's own, among what it tells."""
    return [
        f"{record.getMessage()}: {vars(record).get('reason')}"
        for record in caplog.records
        if record.levelno >= logging.ERROR
        or isinstance(vars(record).get("reason"), LocalProtocolError)
    ]
