import signal
import threading
from collections.abc import Iterator

import pytest

from barnabas.runtime.loops.deferred_signals import DeferredSignals


@pytest.fixture
def handled() -> Iterator[list[int]]:
    """The signals that this program's own handler of SIGTERM was called with."""
    found: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _frame: found.append(number))
    yield found
    signal.signal(signal.SIGTERM, before)


def test_a_handler_runs_at_the_end_of_the_block(handled: list[int]) -> None:
    with DeferredSignals() as signals:
        signal.raise_signal(signal.SIGTERM)
        assert handled == []
        assert len(signals.caught) == 1
    assert handled == [signal.SIGTERM]
    signal.raise_signal(signal.SIGTERM)
    assert handled == [signal.SIGTERM] * 2


def test_what_a_handler_raises_comes_out_of_the_block() -> None:
    done = []

    def work() -> None:
        with DeferredSignals():
            signal.raise_signal(signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_blocks_may_be_nested(handled: list[int]) -> None:
    with DeferredSignals():
        with DeferredSignals():
            signal.raise_signal(signal.SIGTERM)
        assert handled == []
    assert handled == [signal.SIGTERM]


def test_a_signal_is_reported_at_once_and_may_be_delivered_before_the_end(
    handled: list[int],
) -> None:
    received: list[bool] = []
    with DeferredSignals(lambda: received.append(True)) as signals:
        signal.raise_signal(signal.SIGTERM)
        assert received == [True]
        signals.deliver()
        assert handled == [signal.SIGTERM]
        signals.immediate = True
        signal.raise_signal(signal.SIGTERM)
        assert handled == [signal.SIGTERM] * 2
    assert handled == [signal.SIGTERM] * 2


def test_another_thread_leaves_handlers_alone() -> None:
    found = []

    def look() -> None:
        with DeferredSignals():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
