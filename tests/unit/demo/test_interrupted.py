import asyncio

import pytest

from barnabas.demo.interrupted import raise_interruption


def fail_while_ended_by(ending: BaseException | type[BaseException], steps: int) -> None:
    """As the bridge to Java does: an error while another is handled, the first of them an ending."""
    try:
        if steps:
            fail_while_ended_by(ending, steps - 1)
        raise ending
    finally:
        raise OSError("no connection to shut down")


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_an_error_in_the_wake_of_an_interruption_is_the_interruption(steps: int) -> None:
    with pytest.raises(KeyboardInterrupt), raise_interruption():
        fail_while_ended_by(KeyboardInterrupt, steps)


def test_a_signals_exit_keeps_its_status() -> None:
    with pytest.raises(SystemExit) as ended, raise_interruption():
        fail_while_ended_by(SystemExit(143), 1)
    assert ended.value.code == 143


def test_an_error_that_came_by_itself_stays_what_it_is() -> None:
    with pytest.raises(OSError, match="no connection"), raise_interruption():
        fail_while_ended_by(ValueError("the answer"), 2)


def test_an_interruption_that_nothing_followed_goes_through() -> None:
    with pytest.raises(KeyboardInterrupt), raise_interruption():
        raise KeyboardInterrupt


def test_a_wait_that_asyncio_cancelled_is_no_interruption() -> None:
    async def waits_too_long() -> None:
        try:
            async with asyncio.timeout(0):
                await asyncio.sleep(60)
        except TimeoutError:
            raise OSError("no broker there") from None

    with pytest.raises(OSError, match="no broker there"), raise_interruption():
        asyncio.run(waits_too_long())
