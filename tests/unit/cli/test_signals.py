import os
import signal
from collections.abc import Callable, Iterator

import pytest

from barnabas.cli.signals import defer_signals, exit_cleanly_on_signals
from barnabas.errors import WakeupError

ENDINGS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, None)]


@pytest.fixture(autouse=True)
def _ending() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number, _ in ENDINGS}
    for number in before:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, default)
    exit_cleanly_on_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def code_of(block: Callable[[], object]) -> int | None:
    """The exit code that a block ends with, None for a Ctrl-C."""
    with pytest.raises((SystemExit, KeyboardInterrupt)) as ended:
        block()
    code = getattr(ended.value, "code", None)
    assert code is None or isinstance(code, int)
    return code


def notice(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(("number", "code"), ENDINGS)
def test_a_signal_ends_what_runs(number: int, code: int | None) -> None:
    assert code_of(lambda: notice(number)) == code


@pytest.mark.parametrize("woken", [True, False], ids=["woken", "done all the same"])
@pytest.mark.parametrize(("number", "code"), ENDINGS)
def test_it_ends_a_block_that_is_to_be_woken_at_its_end(
    number: int, code: int | None, *, woken: bool
) -> None:
    done: list[str] = []

    def block() -> None:
        with defer_signals(lambda: done.append("wake")):
            notice(number)
            done.append("here")
            if woken:
                raise WakeupError("as the signal asked")
        done.append("never")

    assert code_of(block) == code
    assert done == ["wake", "here"]
    assert code_of(lambda: notice(signal.SIGTERM)) == 143, "outside of the block it is as before"


def test_who_ignores_a_hangup_goes_on() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    exit_cleanly_on_signals()
    notice(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
