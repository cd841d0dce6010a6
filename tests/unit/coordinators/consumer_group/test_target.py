"""When the expressions of a group's members are matched."""

import pytest

from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.common.assignment import Assignment, Subscriptions
from barnabas.coordinators.consumer_group import target
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.regexes import Expression, compiled
from barnabas.coordinators.consumer_group.uniform_assignor import assign
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.errors import BrokerError, ErrorCode
from tests.unit.coordinators.consumer_group.test_groups import beat
from tests.unit.coordinators.some_topics import SETTINGS, SomeTopics, a_shard


def group_of(shard: GroupShard) -> ConsumerGroup:
    group = shard.consumer.get("g")
    assert group is not None
    return group


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[Expression]:
    """The expressions that were matched."""
    seen: set[Expression] = set()
    among = Expression.among

    def counted(one: Expression, names: frozenset[str]) -> frozenset[str]:
        seen.add(one)
        return among(one, names)

    monkeypatch.setattr(Expression, "among", counted)
    return seen


def test_who_joins_has_only_its_own_expression_matched(asked: set[Expression]) -> None:
    topics = SomeTopics(dogs=4)
    shard = a_shard(topics)
    beat(shard, "one", topics=None, regex="d.*")
    beat(shard, "two", topics=None, regex="c.*")
    asked.clear()
    beat(shard, "three", topics=None, regex="d.*")
    beat(shard, "four")
    assert asked == {compiled("d.*")}
    topics.change(cats=1)
    beat(shard, "five")
    assert asked == {compiled("c.*"), compiled("d.*")}
    assert group_of(shard).regexes["c.*"].topics == {"cats"}


def test_who_leaves_or_is_taken_out_leaves_new_topics_to_the_next_heartbeat(
    asked: set[Expression],
) -> None:
    topics = SomeTopics(dogs=4)
    shard = a_shard(topics)
    for name in ("late", "leaver", "gone"):
        beat(shard, name)
    beat(shard, "one", topics=None, regex="[cd].*", now=500)
    asked.clear()
    topics.change(cats=1)
    before = group_of(shard).epoch
    beat(shard, "leaver", -1)
    shard.consumer.leave(group_of(shard), [Identity("gone")], 500)
    shard.consumer.on_time(group_of(shard), SETTINGS.session_ms)
    assert set(group_of(shard).members) == {"one"}
    assert not asked
    assert group_of(shard).epoch == before + 3
    reply = beat(shard, "one", group_of(shard).members["one"].epoch, now=600, owned=frozenset())
    assert group_of(shard).regexes["[cd].*"].topics == {"cats", "dogs"}
    assert {place.topic_id for place in reply.assigned or ()} == {
        place.topic_id for name in ("cats", "dogs") for place in topics.places(name)
    }


def test_time_goes_on_where_expressions_cannot_be_read_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(regex: str, _names: object) -> frozenset[str]:
        raise BrokerError(ErrorCode.INVALID_REGULAR_EXPRESSION, regex)

    topics = SomeTopics(dogs=4)
    shard = a_shard(topics)
    beat(shard, "one", topics=None, regex="d.*")
    monkeypatch.setattr(target, "matching", unreadable)
    topics.change(ducks=1)
    beat(shard, "two")
    assert set(group_of(shard).members) == {"one", "two"}
    assert group_of(shard).regexes["d.*"].topics == {"dogs"}


def test_members_with_the_same_topics_share_one_set_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of 400 expressions of two characters took 200 KB, and half a second with 3,000 topics."""
    given: list[Subscriptions] = []

    def noted(group: Subscriptions) -> Assignment:
        given.append(group)
        return assign(group)

    monkeypatch.setitem(target.ASSIGNORS, "uniform", noted)
    shard = a_shard(SomeTopics(dogs=4, cats=2))
    for name in ("one", "two", "three"):
        beat(shard, name, topics=None, regex=".*")
    beat(shard, "four")
    subscriptions = given[-1].subscriptions
    assert subscriptions["one"] is subscriptions["two"] is subscriptions["three"]
    assert len(subscriptions["one"]) == 2
    assert len(subscriptions["four"]) == 1
    of_topic, names = given[-1].audiences()
    (dogs,) = subscriptions["four"]
    assert names[of_topic[dogs]] == ["four", "one", "three", "two"]
