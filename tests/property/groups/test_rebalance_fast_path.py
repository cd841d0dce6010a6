"""A usual join or sync is handled in a short way: it comes to what the long one comes to."""

from collections.abc import Callable

from hypothesis import event, given, settings
from hypothesis import strategies as st

from barnabas.coordinators.classic_group.member import Member
from tests.unit.coordinators.classic_group.acting import Acting

NAMES = ("ann", "bob", "cat", "dan")

Step = Callable[[Acting], object]


def joins_as(name: str, **news: object) -> Step:
    return lambda one: one.join(name, **news)  # type: ignore[arg-type]


def agree(one: Acting) -> None:
    """All ask what to do; the one who leads says it."""
    for name in NAMES:
        one.sync(name, {each: each.encode() for each in NAMES})


def syncs_as(name: str, **news: object) -> Step:
    return lambda one: one.sync(name, **news)  # type: ignore[arg-type]


names = st.sampled_from(NAMES)
odd = st.sampled_from(
    [
        {"kind": "connect"},
        {"instance": "static"},
        {"session_ms": 12_000},
        {"rebalance_ms": 30_000},
        {"protocols": [("range", b"news")]},
        {"protocols": [("range", b"all"), ("sticky", b"")]},
        {"protocols": [("sticky", b"")]},
    ]
)
odd_syncs = st.sampled_from(
    [
        {"generation": 1},
        {"instance": "static"},
        {"protocol": "range", "kind": "consumer"},
        {"protocol": "sticky"},
        {"kind": "connect"},
        {"assignments": {"ann": b"news"}},
    ]
)
steps = st.one_of(
    st.builds(syncs_as, names),
    st.builds(
        lambda name, news: syncs_as(name, **news), st.sampled_from([*NAMES, "eve"]), odd_syncs
    ),
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


def assert_metadata_is_kept_as_it_is(member: Member) -> None:
    """The metadata that is kept of a member is what would be made now."""
    known, member.description = member.description, None
    if known is not None:
        assert member.described(known.protocol) == known
        member.description = known


@given(st.lists(steps, min_size=5, max_size=30), st.sampled_from([4, 5, 1000]))
@settings(max_examples=300, deadline=None)
def test_the_short_ways_and_the_long_ones_are_the_same(script: list[Step], room: int) -> None:
    short, long = Acting(max_size=room), Acting(max_size=room, usual=False)
    for one in (short, long):
        one.settle(*NAMES)
        one.join("eve")
    for step in script:
        step(short)
        step(long)
        assert short.replies == long.replies
        assert short.log == long.log
        assert short.group == long.group
        for member in short.group.members.values():
            assert_metadata_is_kept_as_it_is(member)
    assert not long.short_ways
    event(f"short ways: {min(short.short_ways, 9)}")
