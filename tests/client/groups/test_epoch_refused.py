"""A member whose broker assigns, under a coordinator that refuses, moves, forgets and falls silent."""

import time
from collections.abc import Callable

import pytest

from barnabas import BrokerError, Consumer, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from tests.client.groups.scripted_group import (
    ScriptedGroup,
    refuse_beat,
    refuse_commit,
    refuse_offsets,
)
from tests.client.groups.test_groups import RecordedRebalances
from tests.client.scripted_broker import TOPIC, TOPIC_ID, Misdeed, drop
from tests.client.transactions.scripted_coordinator import refuse

SECONDS = 60.0
BEAT = ApiKey.CONSUMER_GROUP_HEARTBEAT
WHERE = (TOPIC, 0)
E = ErrorCode


def member(
    broker: ScriptedGroup, reported: RecordedRebalances | None = None, **more: object
) -> Consumer:
    settings: dict[str, object] = {
        "bootstrap_servers": broker.address,
        "group_id": "g",
        "group_protocol": "consumer",
        "retry_backoff_ms": 5,
        "enable_auto_commit": False,
    }
    made = Consumer(**{**settings, **more})
    made.subscribe([TOPIC], listener=reported)
    return made


def poll_until(one: Consumer, done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline
        one.poll(0.01)


def beats(broker: ScriptedGroup) -> list[tuple[int, bool]]:
    """The epoch that each heartbeat says, and whether it says everything."""
    return [(each.member_epoch, each.rebalance_timeout_ms >= 0) for each in broker.asked(BEAT)]


def test_a_commit_goes_with_the_epoch_of_its_time() -> None:
    with ScriptedGroup() as broker:
        with member(broker) as one:
            poll_until(one, lambda: bool(one.assignment()))
            broker.member_epoch = 7
            one.commit({WHERE: 3})
            given = broker.asked(ApiKey.OFFSET_COMMIT)
            assert given[-1].generation_id_or_member_epoch == 7
            assert {each.member_id for each in given} == {one.group_metadata().member_id}
            assert one.group_metadata().generation == 7
        broker.wait_until_left()


def test_offsets_are_asked_for_as_a_member_and_again_when_its_epoch_was_stale() -> None:
    stale = {ApiKey.OFFSET_FETCH: [refuse_offsets(E.STALE_MEMBER_EPOCH)]}
    with ScriptedGroup(misdeeds=stale) as broker, member(broker) as one:
        poll_until(one, lambda: broker.count(ApiKey.FETCH) > 0)
        asked = [request.groups[0] for request in broker.asked(ApiKey.OFFSET_FETCH)]
        mine = one.group_metadata()
        assert [(each.member_id, each.member_epoch) for each in asked] == [(mine.member_id, 1)] * 2


def test_offsets_are_saved_and_asked_for_by_id_and_again_where_it_was_unknown() -> None:
    with ScriptedGroup() as broker, member(broker) as one:
        poll_until(one, lambda: broker.count(ApiKey.FETCH) > 0)
        before = broker.count(ApiKey.METADATA)
        broker.misdeeds[ApiKey.OFFSET_COMMIT] = [refuse_commit(E.UNKNOWN_TOPIC_ID)]
        one.commit({WHERE: 3})
        one.committed([WHERE])
        poll_until(one, lambda: broker.count(ApiKey.METADATA) > before)
        saved = [topic for each in broker.asked(ApiKey.OFFSET_COMMIT) for topic in each.topics]
        (reported,) = broker.asked(ApiKey.OFFSET_FETCH)[-1].groups[0].topics
        assert [(topic.name, topic.topic_id) for topic in (*saved, reported)] == [
            ("", TOPIC_ID)
        ] * 3


@pytest.mark.parametrize("code", [E.FENCED_MEMBER_EPOCH, E.UNKNOWN_MEMBER_ID])
def test_a_fenced_member_loses_all_and_joins_again(code: ErrorCode) -> None:
    reported = RecordedRebalances()
    with ScriptedGroup() as broker, member(broker, reported) as one:
        poll_until(one, lambda: reported.words == [("assigned", [0])])
        was = one.group_metadata().member_id
        broker.misdeeds[BEAT] = [refuse_beat(code)]
        poll_until(one, lambda: len(reported.words) == 3)
        assert reported.words[1:] == [("lost", [0]), ("assigned", [0])]
        assert beats(broker).count((0, True)) == 2
        assert one.group_metadata().member_id == was


@pytest.mark.parametrize(
    "misdeed", [refuse_beat(E.NOT_COORDINATOR), refuse_beat(E.COORDINATOR_NOT_AVAILABLE), drop]
)
def test_a_coordinator_that_moves_or_breaks_off_is_found_again_and_sent_all(
    misdeed: Misdeed,
) -> None:
    reported = RecordedRebalances()
    with ScriptedGroup() as broker, member(broker, reported) as one:
        poll_until(one, lambda: (1, False) in beats(broker))
        found = broker.count(ApiKey.FIND_COORDINATOR)
        broker.misdeeds[BEAT] = [misdeed]
        poll_until(one, lambda: (1, True) in beats(broker))
        assert broker.count(ApiKey.FIND_COORDINATOR) == found + 1
        assert reported.words == [("assigned", [0])], "it is the same member all the time"


def test_one_that_loads_is_asked_again() -> None:
    busy = [refuse_beat(E.COORDINATOR_LOAD_IN_PROGRESS)] * 3
    loading = {ApiKey.FIND_COORDINATOR: [refuse(E.COORDINATOR_NOT_AVAILABLE)], BEAT: busy}
    with ScriptedGroup(misdeeds=loading) as broker, member(broker) as one:
        poll_until(one, lambda: bool(one.assignment()))
        assert beats(broker)[:4] == [(0, True)] * 4


@pytest.mark.parametrize("lacks", [BEAT, None], ids=["too old", "switched off"])
def test_a_cluster_without_such_groups_is_an_error_that_says_what_to_do(
    lacks: ApiKey | None,
) -> None:
    off = {BEAT: [refuse_beat(E.UNSUPPORTED_VERSION, "The consumer group protocol is off.")] * 9}
    with ScriptedGroup(misdeeds=off, lacks=lacks) as broker, member(broker) as one:
        with pytest.raises(
            BrokerError,
            match=r"group\.protocol=classic.*group\.version=1 and consumer in group\.coordinator",
        ) as error:
            one.poll(SECONDS)
        assert error.value.code is E.UNSUPPORTED_VERSION


def test_another_of_the_same_name_ends_a_static_member_for_good() -> None:
    with ScriptedGroup() as broker, member(broker, group_instance_id="one") as one:
        poll_until(one, lambda: bool(one.assignment()))
        broker.misdeeds[BEAT] = [refuse_beat(E.FENCED_INSTANCE_ID)]
        for _ in range(2):
            with pytest.raises(BrokerError) as raised:
                poll_until(one, lambda: False)
            assert raised.value.code is E.FENCED_INSTANCE_ID
        assert beats(broker).count((0, True)) == 1


def test_a_name_that_is_not_free_yet_is_raised_and_the_next_poll_tries_again() -> None:
    taken = {BEAT: [refuse_beat(E.UNRELEASED_INSTANCE_ID, "taken")]}
    with ScriptedGroup(misdeeds=taken) as broker, member(broker, group_instance_id="one") as one:
        with pytest.raises(BrokerError, match="taken") as raised:
            poll_until(one, lambda: False)
        assert raised.value.code is E.UNRELEASED_INSTANCE_ID
        poll_until(one, lambda: bool(one.assignment()))


@pytest.mark.parametrize(("instance", "last"), [(None, -1), ("one", -2)])
def test_who_closes_says_so(instance: str | None, last: int) -> None:
    reported = RecordedRebalances()
    with ScriptedGroup() as broker:
        with member(broker, reported, group_instance_id=instance) as one:
            poll_until(one, lambda: bool(reported.words))
        broker.wait_until_left()
        assert beats(broker)[-1] == (last, False)
        assert reported.words[-1] == ("revoked", [0])
