"""A member that is heard the short way: its session, and what ends the short way."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.steady_member import SteadyMember
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.leaving import end, heartbeat, leave
from barnabas.coordinators.classic_group.member import Identity, Member
from barnabas.coordinators.classic_group.rebalancing import begin_rebalance
from barnabas.coordinators.classic_group.replies import Effects
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.errors import ErrorCode

SESSION_MS, GENERATION = 10_000, 3
ONE = Identity("one")


def a_member(name: str) -> Member:
    return Member(
        member_id=name, instance_id=None, client_id="", client_host="", protocols=(),
        session_timeout_ms=SESSION_MS, rebalance_timeout_ms=60_000,
    )  # fmt: skip


class Place:
    """A shard with one group of two members, who were heard at the time 1,000."""

    def __init__(self) -> None:
        self.now = 1_000
        self.topics = SimpleNamespace(changes=0)
        settings = GroupSettings(initial_delay_ms=0, max_size=10)
        self.group = ClassicGroup("group", settings, GroupState.STABLE, generation=GENERATION)
        self.kept: ClassicGroup | None = self.group
        for name in ("one", "two"):
            self.group.members[name] = a_member(name)
            self.group.heard(self.group.members[name], self.now)
        shards = SimpleNamespace(topics=self.topics, now_ms=lambda: self.now)
        held = SimpleNamespace(shard=SimpleNamespace(group=lambda _: self.kept))
        self.steady = SteadyMember(
            cast("GroupShards", shards), cast("Held", held), self.group, self.group.members["one"]
        )

    def deadline(self) -> int | None:
        return self.group.members["one"].deadline


@pytest.fixture
def place() -> Place:
    return Place()


def test_it_is_heard_as_by_a_heartbeat(place: Place) -> None:
    usual = Place()
    for now in (4_000, 7_000):
        place.now = usual.now = now
        assert place.steady.beat()
        assert heartbeat(usual.group, *ONE, GENERATION, now) == ErrorCode.NONE
        assert place.group == usual.group
        assert place.deadline() == now + SESSION_MS


def take_out(place: Place) -> None:
    leave(place.group, [ONE], place.now)


def come_back(place: Place) -> None:
    place.group.members["one"] = a_member("one")


def take_in_another(place: Place) -> None:
    begin_rebalance(place.group, Effects(), place.now)


def begin_a_generation(place: Place) -> None:
    place.group.generation += 1


def end_the_group(place: Place) -> None:
    end(place.group, ErrorCode.NOT_COORDINATOR, place.now)


def put_another_in_its_place(place: Place) -> None:
    place.kept = ClassicGroup("group", place.group.settings)


def forget_it(place: Place) -> None:
    place.kept = None


def change_a_topic(place: Place) -> None:
    place.topics.changes += 1


@pytest.mark.parametrize(
    "happen",
    [
        take_out, come_back, take_in_another, begin_a_generation, end_the_group,
        put_another_in_its_place, forget_it, change_a_topic,
    ],
)  # fmt: skip
def test_once_anything_has_happened_it_is_not_heard(
    place: Place, happen: Callable[[Place], None]
) -> None:
    member = place.group.members["one"]
    happen(place)
    place.now = 4_000
    assert not place.steady.beat()
    assert member.silent_until == 1_000 + SESSION_MS
