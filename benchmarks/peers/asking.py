"""One question to a broker, over a connection of its own; and waiting until an answer is the wanted one."""

import socket
import struct
import time
from collections.abc import Callable

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request

PATIENCE_SECONDS = 60.0
ASKED_EVERY = 0.005
GROUPS, TRANSACTIONS = 0, 1
"""Which coordinator is asked for."""


def ask(port: int, key: ApiKey, version: int, request: object) -> object:
    """The broker's answer."""
    frame = encode_request(RequestHeader(key, version, 1), request).joined()
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall(frame)
        with connection.makefile("rb") as answers:
            (size,) = struct.unpack(">i", answers.read(4))
            return decode_response(key, version, answers.read(size))[1]


def wait_until(there: Callable[[], bool]) -> None:
    """Look again and again."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not there():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(ASKED_EVERY)


def find_coordinator(port: int, kind: int) -> None:
    """Have the topic made that a coordinator keeps its things in, if it is not there."""

    def is_there() -> bool:
        asked = FindCoordinatorRequest(key="load", key_type=kind)
        answer = ask(port, ApiKey.FIND_COORDINATOR, 2, asked)
        assert isinstance(answer, FindCoordinatorResponse)
        return not answer.error_code

    wait_until(is_there)
