"""Another client of a broker under attack: how long does it wait at worst? In a process of its own.

    with OtherClient(broker) as other:
        attack(broker)
    assert other.worst_wait < 2, other.report()

The process asks ApiVersions, Produce of one small record, and from time to time a new connection, over
and over. A request that is not answered when the context ends counts with the time it has taken by then
and takes until it is answered, at most ANSWER_SECONDS.
"""

import json
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.brokers import InteropBroker, Running
from tests.interop.raw import Raw, framed, header, produce_7, produce_7_code
from tests.record_batches import make_batch

ANSWER_SECONDS = 120.0
_PAUSE_SECONDS = 0.005
_REQUESTS_PER_CONNECTION = 20
_ROOT = Path(__file__).resolve().parents[2]


class OtherClient:
    """The waits, in seconds, are there when the context has ended."""

    def __init__(self, broker: Running) -> None:
        self._address = broker.bootstrap_servers
        self._topic = InteropBroker(broker).new_topic()
        self._process: subprocess.Popen[str] | None = None
        self.waits: dict[str, float] = {}
        """The longest of each kind: connecting, ApiVersions, Produce."""
        self.requests = 0

    @property
    def worst_wait(self) -> float:
        """The longest of all."""
        return max(self.waits.values())

    def report(self) -> str:
        """The waits as one line, for the message of an assertion."""
        waits = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in self.waits.items())
        return f"another client's worst waits: {waits} ({self.requests} requests)"

    def __enter__(self) -> Self:
        process = self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.other_client", self._address, self._topic],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "served\n", "the broker did not serve it before"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        output, _ = self._process.communicate("", timeout=2 * ANSWER_SECONDS)
        if error is None:
            self.requests, self.waits = json.loads(output)


class _Asking:
    def __init__(self, address: str, topic: str) -> None:
        self.address = address
        self.waits: dict[str, float] = {}
        self.requests = 0
        self._topic = topic
        self._produce = produce_7(topic, bytes(make_batch(1)))

    def ask_once(self) -> None:
        """Connect, and ask some requests one after the other."""
        with self._measured("connecting"):
            connection = Raw(self.address, ANSWER_SECONDS)
        with connection:
            for _ in range(_REQUESTS_PER_CONNECTION):
                with self._measured("ApiVersions"):
                    answer = connection.ask(framed(header(18, 0)))
                assert answer is not None
                assert struct.unpack_from(">ih", answer) == (1, 0)
                with self._measured("Produce"):
                    answer = connection.ask(self._produce)
                assert answer is not None
                assert produce_7_code(self._topic, answer) == 0
                time.sleep(_PAUSE_SECONDS)

    @contextmanager
    def _measured(self, kind: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            waited = time.monotonic() - began
            self.waits[kind] = max(self.waits.get(kind, 0.0), waited)
            self.requests += 1


def _main(address: str, topic: str) -> None:
    asking = _Asking(address, topic)
    asking.ask_once()
    asking.waits.clear()
    sys.stdout.write("served\n")
    sys.stdout.flush()
    end = threading.Thread(target=sys.stdin.read, daemon=True)
    end.start()
    # A broker that does not answer at all is reported as one that took so long.
    with suppress(TimeoutError):
        # Once at least: an attack that is refused at its first bytes is over at once.
        asking.ask_once()
        while end.is_alive():
            asking.ask_once()
    json.dump([asking.requests, asking.waits], sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
