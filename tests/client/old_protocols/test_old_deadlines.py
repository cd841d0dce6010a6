"""The drivers of Kafka 0.7 and of the proposal: a request ends in its time, whatever the broker does."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

import pytest

from barnabas.client.driver07.simple_consumer import SimpleConsumer
from barnabas.client.proposal.connection import Connection
from barnabas.client.proposal.consumer import Consumer
from barnabas.errors import ConnectionFailed, RequestTimeout
from tests.client import fronts
from tests.client.fronts import Place

TIMEOUT_MS = 500
CEILING_S = 4.0
_SIZE = (1000).to_bytes(4)


@contextmanager
def _answering(parts: list[bytes], pause_s: float) -> Iterator[Place]:
    """Sends these parts to each client, with a pause after each, and nothing more."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    for part in parts:
                        connection.sendall(part)
                        over.wait(pause_s)
                    over.wait()

        serving = threading.Thread(target=serve)
        serving.start()
        yield Place(f"127.0.0.1:{listener.getsockname()[1]}")
        over.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        serving.join()


def dripping() -> AbstractContextManager[Place]:
    """Always something new in time, and never all."""
    return _answering([_SIZE, *[b"\0"] * 100], 0.2)


def half_an_answer() -> AbstractContextManager[Place]:
    return _answering([_SIZE + b"\0" * 10], 0)


PLACES: dict[str, Callable[[], AbstractContextManager[Place]]] = {
    "silent": fronts.silent,
    "accepting nothing": fronts.accepting_nothing,
    "a name that nobody answers for": fronts.with_a_name_that_nobody_answers_for,
    "dripping": dripping,
    "half an answer": half_an_answer,
}


@pytest.mark.parametrize("where", PLACES)
def test_a_fetch_of_0_7_ends_in_socket_timeout_ms(where: str) -> None:
    with PLACES[where]() as place:
        host, port = place.servers.split(":")
        with SimpleConsumer(host, int(port), socket_timeout_ms=TIMEOUT_MS) as consumer:
            begun = time.monotonic()
            with pytest.raises((RequestTimeout, ConnectionFailed)):
                consumer.fetch("t", 0, 0)
            assert time.monotonic() - begun < CEILING_S


@pytest.mark.parametrize("where", PLACES)
def test_a_request_of_the_proposal_ends_in_socket_timeout_ms(where: str) -> None:
    with PLACES[where]() as place:
        host, port = place.servers.split(":")
        with Connection(host, int(port), socket_timeout_ms=TIMEOUT_MS) as connection:
            begun = time.monotonic()
            with pytest.raises((RequestTimeout, ConnectionFailed)):
                Consumer(connection).offsets("t", 0)
            assert time.monotonic() - begun < CEILING_S


def test_half_an_answer_holds_up_no_result_with_a_time_of_its_own() -> None:
    with half_an_answer() as place:
        host, port = place.servers.split(":")
        with Connection(host, int(port), socket_timeout_ms=60_000) as connection:
            pending = Consumer(connection).begin()
            begun = time.monotonic()
            for _ in range(2):
                with pytest.raises(RequestTimeout):
                    pending.result(0.2)
            assert time.monotonic() - begun < CEILING_S
