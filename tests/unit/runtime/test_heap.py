"""What a process has freed goes back to the system, and nothing is done where it is not worth it."""

import subprocess
import sys

import pytest

from barnabas.runtime.heap import Heap

MB = 1 << 20


class Process:
    """A process whose heap keeps all that it ever was, until it is trimmed."""

    def __init__(self) -> None:
        self.used = 30 * MB
        self.given_back = 0
        self.most = self.used
        self.trims = 0
        self.looks = 0

    def use(self, more: int) -> None:
        self.used += more
        self.most = max(self.most, self.used)
        # New memory is taken from what had been given back last.
        self.given_back = min(self.given_back, self.most - self.used)

    def resident(self) -> int:
        return self.most - self.given_back

    def free(self) -> int:
        self.looks += 1
        return self.most - self.used

    def trim(self) -> None:
        self.trims += 1
        self.given_back = self.most - self.used


def test_what_was_used_for_a_moment_is_given_back() -> None:
    process = Process()
    heap = Heap(process)
    process.use(500 * MB)
    process.use(-490 * MB)
    heap.trim()
    assert process.resident() == 40 * MB


def test_what_was_kept_for_long_is_given_back_when_it_is_freed() -> None:
    process = Process()
    heap = Heap(process)
    process.use(500 * MB)
    heap.trim()
    heap.trim()
    process.use(-490 * MB)
    heap.trim()
    assert process.resident() == 40 * MB


def test_what_is_used_and_freed_again_and_again_is_given_back_each_time() -> None:
    process = Process()
    heap = Heap(process)
    for _ in range(3):
        process.use(200 * MB)
        process.use(-200 * MB)
        heap.trim()
        assert process.resident() == 30 * MB


def test_nothing_is_done_for_little_or_for_what_is_in_use() -> None:
    process = Process()
    heap = Heap(process)
    for _ in range(10):
        process.use(10 * MB)
        process.use(-10 * MB)
        heap.trim()
    assert (process.trims, process.looks) == (0, 0)
    process.use(500 * MB)
    for _ in range(10):
        heap.trim()
    assert process.trims == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other allocators give back by themselves")
def test_a_real_heap_with_holes_in_it_shrinks() -> None:
    reported = subprocess.run(
        [sys.executable, "-c", HOLES], check=True, capture_output=True, text=True
    )
    full, trimmed = map(int, reported.stdout.split())
    assert full > 200 * MB
    assert trimmed < 0.4 * full


HOLES = """
from barnabas.runtime.heap import _SystemMemory, system_heap
heap, memory = system_heap(), _SystemMemory()
kept = [bytes(40_000) for _ in range(6000)]
del kept[::2], kept[::2], kept[::2]
full = memory.resident()
heap.trim()
print(full, memory.resident())
"""
