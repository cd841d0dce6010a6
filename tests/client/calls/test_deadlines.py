"""No call of the driver outlasts its timeout, whatever state the broker is in."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

import pytest

from barnabas import KafkaError
from barnabas.errors import ConnectionFailed, RequestTimeout
from tests.client import fronts
from tests.client.calls.bounded_calls import CEILING_S, Ended, all_ended
from tests.client.fronts import Place, served

PLACES: Final[dict[str, Callable[[], AbstractContextManager[Place]]]] = {
    "nobody": fronts.nobody,
    "silent": fronts.silent,
    "accepting nothing": fronts.accepting_nothing,
    "talking nonsense": fronts.talking_nonsense,
    "without a name": fronts.without_a_name,
    "a name that nobody answers for": fronts.with_a_name_that_nobody_answers_for,
    "killed": partial(served, "die", all_of_it=True),
    "stopped": partial(served, "fall_silent", all_of_it=True),
    "nonsense": partial(served, "talk_nonsense", all_of_it=True),
    "leader killed": partial(served, "die", all_of_it=False),
    "leader stopped": partial(served, "fall_silent", all_of_it=False),
}
BOUNDS: Final = re.compile(
    r"\(timeout_s\)|default\.api\.timeout\.ms|max\.block\.ms|request\.timeout\.ms"
    r"|delivery\.timeout\.ms"
)


def complaint(ended: Ended) -> str | None:
    """What is wrong with the end of a call, if anything."""
    if ended.seconds is None:
        return f"not ended after {CEILING_S:g} s"
    if ended.closed_in is None:
        return f"not closed after {CEILING_S:g} s, {ended.error!r}"
    if ended.error is not None and not isinstance(ended.error, KafkaError):
        return repr(ended.error)
    waited = isinstance(ended.error, RequestTimeout | ConnectionFailed)
    if waited and not BOUNDS.search(str(ended.error)):
        return f"does not say what bounds it: {ended.error}"
    return None


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", ["threads", "asyncio"])
@pytest.mark.parametrize("where", PLACES)
def test_every_call_ends_in_its_time_and_says_what_bounded_it(where: str, kind: str) -> None:
    with PLACES[where]() as place:
        ended = all_ended(place, kind)
    found = {f"{each.call.client} {each.call.name}": complaint(each) for each in ended}
    assert {name: why for name, why in found.items() if why is not None} == {}
