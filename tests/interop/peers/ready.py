"""When is a broker ready? When it answers ApiVersions, asked in the oldest form there is.

Brokers before 0.10 do not know ApiVersions, and get a Metadata request.
"""

import random
import socket
import struct
import time

from tests.interop.peers.child import Child, ChildFailed

# api_key 18, version 0, correlation id 7, client_id "up?"
ASK_VERSIONS = struct.pack(">hhih3s", 18, 0, 7, 3, b"up?")
# api_key 3: all topics
ASK_METADATA = struct.pack(">hhih3si", 3, 0, 7, 3, b"up?", 0)


# Below what Linux and macOS give to sockets that ask for any port: no connection of anybody takes
# one of these while its peer starts, or is down for a while. Tests run side by side, so they are
# drawn, and by chance that no seed of a test repeats in another process. A process that draws one holds
# the port of UDP with its number to its end, so that nobody draws it again before it is used.
_PORTS = range(20_000, 32_000)
_chance = random.SystemRandom()
_held: list[socket.socket] = []


def free_ports(count: int) -> list[int]:
    """Loopback ports that nobody listens on, and that no other test was given."""
    found: list[int] = []
    while len(found) < count:
        port = _chance.choice(_PORTS)
        if _hold(port) and not _is_taken(port):
            found.append(port)
    return found


def _hold(port: int) -> bool:
    """Whether it was drawn by nobody else."""
    place = socket.socket(type=socket.SOCK_DGRAM)
    try:
        place.bind(("127.0.0.1", port))
    except OSError:
        place.close()
        return False
    _held.append(place)
    return True


def _is_taken(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False


def answers(port: int, question: bytes = ASK_VERSIONS, timeout: float = 1.0) -> bool:
    """Whether a broker on this loopback port answers without an error.

    Metadata begins with the number of brokers, whose first half is nothing.
    """
    try:
        with socket.create_connection(("127.0.0.1", port), timeout) as connection:
            connection.sendall(struct.pack(">i", len(question)) + question)
            reply = b""
            while len(reply) < 10:
                received = connection.recv(4096)
                if not received:
                    return False
                reply += received
    except OSError:
        return False
    correlation, error = struct.unpack_from(">ih", reply, 4)
    return bool(correlation == 7 and error == 0)


def wait_until_ready(
    child: Child,
    port: int,
    seconds: float = 100.0,
    step: float = 0.05,
    question: bytes = ASK_VERSIONS,
) -> float:
    """Wait until the broker answers; returns the seconds it took from this call.

    Raises:
        ChildFailed: it exited, or did not answer in time.
    """
    started = time.monotonic()
    while not answers(port, question):
        if not child.alive():
            raise ChildFailed(f"exited with {child.process.returncode}:\n{child.tail()}")
        if time.monotonic() - started > seconds:
            raise ChildFailed(f"port {port} did not answer in {seconds} s:\n{child.tail()}")
        time.sleep(step)
    return time.monotonic() - started
