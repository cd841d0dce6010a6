"""How many of our files one record enters: produced, fetched, and on its way through the driver.

`python -m benchmarks.files_entered` prints them. Kernels that are compiled are not seen, nor is the loop
that waits. A file counts if each of several records enters it: background jobs come in between.
"""

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from barnabas import Consumer, Producer, TopicPartition
from barnabas.testing import EmbeddedBroker

_PLACE = TopicPartition("walks", 0)
_PACKAGE = "/src/barnabas/"
_REPEATS = 5
_LEARNING = 5
"""Records before: the first ones make what all later ones use."""
_SETTLE_SECONDS = 0.15
_TESTING = "testing/"
"""What watches the embedded broker: none of it is in another one."""


class Trace:
    """The files of the package in which functions are called while it is on, by thread."""

    def __init__(self) -> None:
        self._is_on = False
        self._entered: dict[str, set[str]] = {}

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """What `sys.setprofile` calls."""
        _, found, file = frame.f_code.co_filename.partition(_PACKAGE)
        if self._is_on and event == "call" and found and not file.startswith(_TESTING):
            self._entered.setdefault(threading.current_thread().name, set()).add(file)

    def of(self, act: Callable[[], object]) -> dict[str, set[str]]:
        """The files that each of several calls enters, and what follows from it in other threads."""
        common: dict[str, set[str]] = {}
        for number in range(_REPEATS):
            self._entered = {}
            self._is_on = True
            act()
            time.sleep(_SETTLE_SECONDS)
            self._is_on = False
            for thread in {*common, *self._entered}:
                now = self._entered.get(thread, set())
                common[thread] = now if number == 0 else common.get(thread, set()) & now
        return {thread: files for thread, files in common.items() if files}


def _print(what: str, entered: dict[str, set[str]]) -> None:
    for thread, files in sorted(entered.items()):
        print(f"{what}, thread {thread}: {len(files)} files")
        for file in sorted(files):
            print(f"  {file}")


def main() -> None:
    """Trace a producer's records, then a consumer's."""
    trace = Trace()
    threading.setprofile(trace.note)
    with EmbeddedBroker() as broker:
        broker.create_topic("walks", 1)
        servers = broker.bootstrap_servers
        with Producer(bootstrap_servers=servers) as producer:
            sys.setprofile(trace.note)
            for _ in range(_LEARNING):
                producer.send("walks", b"value").result(5)
            _print("produced", trace.of(lambda: producer.send("walks", b"value")))
        with Consumer(bootstrap_servers=servers) as consumer:
            sys.setprofile(trace.note)
            consumer.assign([_PLACE])

            def fetch() -> None:
                consumer.seek(_PLACE, 0)
                assert consumer.poll(5)

            fetch()
            _print("fetched", trace.of(fetch))
        sys.setprofile(None)
    threading.setprofile(None)


if __name__ == "__main__":
    main()
