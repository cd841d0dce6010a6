"""Members that are heard again without their group being looked for: as long as nothing happens."""

from collections.abc import Callable

import pytest

from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.consumer_group.member import LEAVES, LEAVES_FOR_A_WHILE
from barnabas.coordinators.share_group.groups import ShareHeartbeat, ShareSettings
from tests.unit.coordinators.some_topics import SETTINGS, SomeTopics, a_shard

SHARE_SETTINGS = ShareSettings(1000, 100, 0, 10)
SAID = bytes.fromhex("0000 00000001 0004 646f6773 ffffffff")
FIRST = 2
"""The epoch of a group's first assignment."""


class Place:
    """A consumer group with a static member that has nothing to do."""

    def __init__(self) -> None:
        self.topics = SomeTopics(dogs=2)
        self.shard = a_shard(self.topics)
        self.speak("one", 0)
        hear = self.resting(FIRST)
        assert hear is not None
        self.hear = hear

    def asked(self, name: str, epoch: int, **more: object) -> ConsumerHeartbeat:
        given: dict[str, object] = {
            "group_id": "g", "member_id": name, "epoch": epoch, "client_id": "c",
            "client_host": "/h",
        }  # fmt: skip
        if not epoch:
            given |= {"rebalance_timeout_ms": 500, "topics": ("dogs",), "owned": frozenset()}
        if name.startswith("one"):
            given["instance_id"] = "first"
        return ConsumerHeartbeat(**(given | more))  # type: ignore[arg-type]

    def speak(self, name: str, epoch: int, **more: object) -> None:
        self.shard.consumer.heartbeat(self.asked(name, epoch, **more), None, 0)

    def resting(self, epoch: int, **more: object) -> Callable[[int], bool] | None:
        return self.shard.consumer.resting(self.asked("one", epoch, **more), SETTINGS)

    def group(self) -> ConsumerGroup:
        group = self.shard.consumer.get("g")
        assert group is not None
        return group


def test_each_time_its_session_is_put_off() -> None:
    place = Place()
    for now in (3_000, 6_000):
        assert place.hear(now)
        assert place.group().volatile.sessions == {"one": now + SETTINGS.session_ms}


def another_joins(place: Place) -> None:
    place.speak("two", 0)


def another_subscribes_to_more(place: Place) -> None:
    place.topics.change(cats=1)
    place.speak("one", FIRST, topics=("cats", "dogs"))


def it_says_something_new(place: Place) -> None:
    place.speak("one", FIRST, rebalance_timeout_ms=700)


def it_comes_back_in_the_place_of_its_own(place: Place) -> None:
    place.speak("one", LEAVES_FOR_A_WHILE)
    place.speak("one again", 0)


def it_leaves_for_a_while(place: Place) -> None:
    place.speak("one", LEAVES_FOR_A_WHILE)


def it_leaves_and_joins_again(place: Place) -> None:
    place.speak("one", LEAVES)
    place.speak("one", 0)


def it_is_not_heard_in_time(place: Place) -> None:
    place.shard.consumer.on_time(place.group(), 1_000_000)


def an_operator_takes_it_out(place: Place) -> None:
    place.shard.consumer.leave(place.group(), [Identity("", "first")], 0)


def it_joins_as_members_of_classic_groups_do(place: Place) -> None:
    asked = Join(
        "one", "first", "one", "one", "c", "/h", 1000, 500, "consumer", (("range", SAID),),
        takes_id_first=False, skips_assignment=False,
    )  # fmt: skip
    place.shard.consumer.classic_join(place.group(), asked, 0)


def its_group_is_deleted_and_made_again(place: Place) -> None:
    place.shard.consumer.delete(place.group())
    place.speak("one", 0)


def its_group_is_read_again(place: Place) -> None:
    again = Place()
    place.shard.consumer.become(again.shard.consumer.by_id())


def there_are_no_groups_any_more(place: Place) -> None:
    place.shard.consumer.become({})


@pytest.mark.parametrize(
    "happen",
    [
        another_joins, another_subscribes_to_more, it_says_something_new,
        it_comes_back_in_the_place_of_its_own, it_leaves_for_a_while, it_leaves_and_joins_again,
        it_is_not_heard_in_time, an_operator_takes_it_out,
        it_joins_as_members_of_classic_groups_do, its_group_is_deleted_and_made_again,
        its_group_is_read_again, there_are_no_groups_any_more,
    ],
)  # fmt: skip
def test_once_anything_has_happened_it_is_not_heard(happen: Callable[[Place], None]) -> None:
    place = Place()
    was = place.group()
    happen(place)
    before = [dict(one.volatile.sessions) for one in (was, *place.shard.consumer.all())]
    assert not place.hear(3_000)
    assert before == [dict(one.volatile.sessions) for one in (was, *place.shard.consumer.all())]


def test_what_is_taken_back_has_not_happened() -> None:
    place = Place()
    result = place.shard.consumer.heartbeat(place.asked("two", 0), None, 0)
    assert not place.hear(3_000)
    assert result.undo is not None
    result.undo()
    assert place.hear(3_000)


def test_who_has_something_to_do_or_to_say_is_not_at_rest() -> None:
    place = Place()
    assert place.resting(FIRST, rebalance_timeout_ms=700) is None
    assert place.resting(FIRST - 1) is None
    assert place.resting(FIRST, client_id="d") is None
    place.topics.change(cats=1)
    assert place.resting(FIRST) is None
    place.speak("one", FIRST)
    assert place.resting(FIRST) is not None
    another_joins(place)
    assert place.resting(FIRST) is None


def test_members_of_share_groups_are_heard_so_too() -> None:
    shard = a_shard(SomeTopics(dogs=2)).share

    def asked(name: str, epoch: int) -> ShareHeartbeat:
        topics = None if epoch else ("dogs",)
        return ShareHeartbeat(
            group_id="g",
            member_id=name,
            epoch=epoch,
            client_id="c",
            client_host="/h",
            topics=topics,
        )

    shard.heartbeat(asked("one", 0), SHARE_SETTINGS, 0)
    hear = shard.resting(asked("one", FIRST), SHARE_SETTINGS)
    assert hear is not None
    assert hear(3_000)
    group = shard.get("g")
    assert group is not None
    assert group.sessions == {"one": 4_000}
    shard.heartbeat(asked("two", 0), SHARE_SETTINGS, 3_000)
    assert not hear(6_000)
    assert shard.resting(asked("one", FIRST), SHARE_SETTINGS) is None
    assert group.sessions["one"] == 4_000
