"""A program that continues after each of many interruptions of its calls of a sync client.

`python -m tests.client.calls.interrupted_client SERVERS WHAT` prints how often it was interrupted when all
that it had to do is done, and has come out right.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

import barnabas
from barnabas import Admin, Consumer, Producer
from barnabas.errors import KafkaError

TOPIC: Final = "interrupted"
COUNT: Final = 30_000
CALLS: Final = 300
_SECONDS: Final = 60.0
_PACKAGE: Final = str(Path(barnabas.__file__).parent)


class Interrupted(BaseException):
    """What the handler of this program raises."""


class Interruptions:
    """Raises amid a call of a client: what this program has in its hands, it keeps."""

    def __init__(self) -> None:
        self.count = 0

    def raise_one(self, _number: int, frame: FrameType | None) -> None:
        while frame is not None and frame.f_code.co_filename != __file__:
            if _PACKAGE in frame.f_code.co_filename:
                self.count += 1
                raise Interrupted
            frame = frame.f_back


def _reader(servers: str, how: str) -> Consumer:
    reader = Consumer(
        bootstrap_servers=servers,
        group_id=f"{how}-{os.getpid()}",
        auto_offset_reset="earliest",
        auto_commit_interval_ms=1,
        max_poll_records=20,
        heartbeat_interval_ms=5,
    )
    if how.endswith("member"):
        reader.subscribe([TOPIC])
    else:
        reader.assign([(TOPIC, 0)])
    _say("begun")
    return reader


def read(reader: Consumer, give: Callable[[Consumer], list[int]]) -> None:
    """All there is, each record once and in order."""
    expected = 0
    while expected < COUNT:
        with suppress(Interrupted):
            for offset in give(reader):
                assert offset == expected, (offset, expected)
                expected += 1
    close(reader)


def iterate(reader: Consumer) -> None:
    """As `read`, record by record."""
    expected = 0
    while expected < COUNT:
        with suppress(Interrupted):
            for record in reader:
                assert record.offset == expected, (record.offset, expected)
                expected += 1
                if expected == COUNT:
                    break
    close(reader)


def polled(reader: Consumer) -> list[int]:
    return [record.offset for record in reader.poll(_SECONDS)]


def fetched(reader: Consumer) -> list[int]:
    offsets: list[int] = reader.fetch_arrow(_SECONDS)["offset"].to_pylist()
    return offsets


def administer(servers: str) -> None:
    """Calls that are not interrupted have their answers; all can be made."""
    admin = Admin(bootstrap_servers=servers)
    _say("begun")
    answered = 0
    while answered < CALLS:
        with suppress(Interrupted):
            assert TOPIC in admin.list_topics(timeout_s=_SECONDS)
            answered += 1
    close(admin)


def produce(servers: str) -> None:
    """Records whose `send` has returned are stored."""
    producer = Producer(bootstrap_servers=servers, linger_ms=0, batch_size=500)
    _say("begun")
    sent: list[Any] = []
    while len(sent) < COUNT:
        with suppress(Interrupted):
            sent.append(producer.send("sent", b"x" * 100))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    producer.flush(60)
    assert all(each.done() for each in sent)
    assert len({each.result(0).offset for each in sent}) == COUNT
    close(producer)


def close(client: Consumer | Admin | Producer) -> None:
    """By as many calls as it takes."""
    while True:
        with suppress(Interrupted, KafkaError):
            client.close()
            break


WORK: Final[dict[str, Callable[[str], None]]] = {
    "poll": lambda servers: read(_reader(servers, "poll"), polled),
    "poll-member": lambda servers: read(_reader(servers, "poll-member"), polled),
    "iterate": lambda servers: iterate(_reader(servers, "iterate")),
    "iterate-member": lambda servers: iterate(_reader(servers, "iterate-member")),
    "arrow": lambda servers: read(_reader(servers, "arrow"), fetched),
    "admin": administer,
    "produce": produce,
}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Do the work."""
    interruptions = Interruptions()
    signal.signal(signal.SIGINT, interruptions.raise_one)
    WORK[sys.argv[2]](sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _say(json.dumps(interruptions.count))


if __name__ == "__main__":
    main()
