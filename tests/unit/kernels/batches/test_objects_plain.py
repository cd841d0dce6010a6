"""What the plain form has to do by itself; compiled, an append is one step anyway."""

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from barnabas.kernels.batches.objects_plain import RecordAppender
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records


@pytest.fixture
def busy_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy_threads")
def test_an_append_is_one_step_for_other_threads() -> None:
    appender: Any = RecordAppender(10_000_000)
    enough = threading.Event()
    taken: list[int] = []

    def append() -> None:
        count = 0
        while appender.append(count, None, b"v") is not None:
            count += 1
            if count == 300:
                enough.set()
        taken.append(count)

    threads = [threading.Thread(target=append) for _ in range(3)]
    for thread in threads:
        thread.start()
    enough.wait()
    appender.seal()
    count = appender.count
    for thread in threads:
        thread.join()
    records, following = decode_records(build(appender, Codec.NONE, None), "t", 0)
    assert len(records) == following == count == sum(taken)
