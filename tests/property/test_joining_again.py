"""Who joins again in the same words is handled by a short way: it comes to what the long one comes to."""

from collections.abc import Callable
from unittest.mock import patch

from hypothesis import event, given, settings
from hypothesis import strategies as st

from barnabas.coordinators.group import joining
from tests.unit.coordinators.group.acting import Acting

NAMES = ("ann", "bob", "cat", "dan")

Step = Callable[[Acting], object]


def joins_as(name: str, **news: object) -> Step:
    return lambda one: one.join(name, **news)  # type: ignore[arg-type]


def agree(one: Acting) -> None:
    """All ask what to do; the one who leads says it."""
    for name in NAMES:
        one.sync(name, {each: each.encode() for each in NAMES})


names = st.sampled_from(NAMES)
odd = st.sampled_from(
    [
        {"kind": "connect"},
        {"instance": "static"},
        {"session_ms": 12_000},
        {"protocols": [("range", b"news")]},
        {"protocols": [("range", b"all"), ("sticky", b"")]},
        {"protocols": [("sticky", b"")]},
    ]
)
steps = st.one_of(
    st.builds(joins_as, names),
    st.builds(joins_as, names),
    st.builds(joins_as, names),
    st.builds(lambda name, news: joins_as(name, **news), names, odd),
    st.builds(lambda name: joins_as(name, new=True), st.sampled_from(["eve", "fay"])),
    st.just(joins_as("gil", takes_id_first=True)),
    st.builds(lambda name: lambda one: one.leave(name), names),
    st.builds(lambda name: lambda one: one.beat(name), names),
    st.builds(lambda ms: lambda one: one.wait(ms), st.sampled_from([1, 4_000, 11_000, 61_000])),
    st.just(agree),
)


@given(st.lists(steps, min_size=5, max_size=30), st.sampled_from([4, 5, 1000]))
@settings(max_examples=300, deadline=None)
def test_the_short_way_and_the_long_way_are_the_same(script: list[Step], room: int) -> None:
    short, long = Acting(max_size=room), Acting(max_size=room)
    for one in (short, long):
        one.settle(*NAMES)
        one.join("eve")
    is_as_before, taken = joining._is_as_before, 0

    def count(*asked: object) -> bool:
        nonlocal taken
        taken += (goes := is_as_before(*asked))  # type: ignore[arg-type]
        return goes

    for step in script:
        with patch.object(joining, "_is_as_before", count):
            step(short)
        with patch.object(joining, "_is_as_before", lambda *_: False):
            step(long)
        assert short.told == long.told
        assert short.log == long.log
        assert short.group == long.group
    event(f"short ways: {min(taken, 3)}")
