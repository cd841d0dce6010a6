from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.common.topic_partitions import KnownTopic, TopicIdPartition
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata, encode_commit
from barnabas.coordinators.share_group.group import ShareMember
from barnabas.coordinators.share_group.groups import ShareHeartbeat, ShareSettings, assign, loaded
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition
from tests.steps import outcome_of
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SomeTopics, a_shard

SETTINGS = ShareSettings(session_ms=1000, heartbeat_ms=100, assignment_interval_ms=0, max_size=10)
DOGS = KnownTopic(b"d" * 16, 2)


def beat(name: str, epoch: int = 0) -> ShareHeartbeat:
    topics = None if epoch else ("dogs",)
    return ShareHeartbeat(
        group_id="g", member_id=name, epoch=epoch, client_id="c", client_host="/h", topics=topics
    )


def test_every_partition_and_every_member_has_somebody() -> None:
    for count in range(1, 6):
        members = {
            f"m{each}": ShareMember(member_id=f"m{each}", topics=("dogs",)) for each in range(count)
        }
        shares = assign(members, {"dogs": DOGS})
        assert all(shares.values())
        assert set().union(*shares.values()) == {
            TopicIdPartition(DOGS.topic_id, each) for each in range(2)
        }


def test_members_come_and_go_and_a_restart_finds_the_same() -> None:
    topics = SomeTopics(dogs=3)
    shard = a_shard(topics)
    log: list[CoordinatorRecord] = []
    for asked in (beat("a"), beat("b"), beat("a", 2), beat("b", -1), beat("a", 3)):
        log += refused_first(shard, partial(shard.share.heartbeat, asked, SETTINGS, 0)).records
    group = shard.share.get("g")
    assert group is not None
    assert (group.epoch, list(group.members)) == (4, ["a"])
    assert group.members["a"].assigned == topics.places("dogs") == group.read
    again = a_shard(topics)
    for key, value in log:
        again.replay(key, value)
    found = again.share.get("g")
    assert found is not None
    assert (found.members, found.target, found.epoch) == (group.members, group.target, 4)
    loaded(found, SETTINGS, 0)
    ended = partial(again.share.on_time, found, 1000)
    assert refused_first(again, ended).reply is None
    assert (found.state, list(found.members)) == ("Empty", [])


def test_an_idle_heartbeat_writes_nothing_and_puts_the_session_off() -> None:
    topics = SomeTopics(dogs=2)
    shard = a_shard(topics)
    shard.share.heartbeat(beat("a"), SETTINGS, 0)
    result = shard.share.heartbeat(beat("a", 2), SETTINGS, 700)
    assert not result.records
    assert (result.reply.epoch, result.reply.assigned) == (2, None)
    group = shard.share.get("g")
    assert group is not None
    assert shard.share.deadline(group) == 700 + SETTINGS.session_ms
    moved = replace(beat("a", 2), client_host="/elsewhere")
    assert shard.share.heartbeat(moved, SETTINGS, 800).records, "its leader is another one"
    topics.change(dogs=3)
    assert shard.share.heartbeat(beat("a", 2), SETTINGS, 900).reply.epoch == 3


def test_a_member_has_what_it_subscribes_to_before_the_next_assignment() -> None:
    topics = SomeTopics(cats=1, dogs=2, owls=1)
    shard = a_shard(topics)
    late = SETTINGS._replace(assignment_interval_ms=60_000)

    def subscribed(*names: str, epoch: int = 2) -> Iterable[TopicIdPartition] | None:
        asked = replace(beat("a", epoch), topics=names)
        return shard.share.heartbeat(asked, late, 1).reply.assigned

    assert subscribed("cats", "dogs", epoch=0) == topics.places("cats") | topics.places("dogs")
    assert subscribed("cats") == topics.places("cats")
    assert shard.share.heartbeat(beat("a", 2), late, 1).reply.assigned is None
    assert subscribed("owls") == frozenset()
    assert subscribed("dogs", "owls") == topics.places("dogs")
    group = shard.share.get("g")
    assert group is not None
    assert (group.epoch, group.assignment_epoch, group.members["a"].epoch) == (5, 2, 2)
    again = shard.share.heartbeat(beat("a", 2), late, 60_001).reply
    assert (again.epoch, again.assigned) == (5, topics.places("dogs") | topics.places("owls"))


def test_an_assignment_of_before_gives_nothing_that_is_no_longer_wanted() -> None:
    topics = SomeTopics(cats=1, dogs=2)
    shard = a_shard(topics)
    late = SETTINGS._replace(assignment_interval_ms=60_000)
    shard.share.heartbeat(replace(beat("a"), topics=("cats",)), late, 1)
    shard.share.heartbeat(replace(beat("b"), topics=("cats", "dogs")), late, 2)
    shard.share.heartbeat(beat("a", 2), late, 60_002)
    asked = replace(beat("b", 2), topics=("dogs",))
    reply = shard.share.heartbeat(asked, late, 60_003).reply
    assert (reply.epoch, reply.assigned) == (3, topics.places("dogs"))


def test_who_says_everything_hears_everything() -> None:
    topics = SomeTopics(dogs=2)
    shard = a_shard(topics)
    shard.share.heartbeat(beat("a"), SETTINGS, 0)
    assert shard.share.heartbeat(beat("a", 2), SETTINGS, 0).reply.assigned is None
    again = replace(beat("a", 2), topics=("dogs",))
    assert shard.share.heartbeat(again, SETTINGS, 0).reply.assigned == topics.places("dogs")


def test_a_clock_that_went_back_puts_no_assignment_off() -> None:
    settings = SETTINGS._replace(assignment_interval_ms=100)
    topics = SomeTopics(dogs=2)
    before, shard = a_shard(topics), a_shard(topics)
    for key, value in before.share.heartbeat(beat("a"), settings, 1_000_000).records:
        shard.replay(key, value)
    group = shard.share.get("g")
    assert group is not None
    loaded(group, settings, 5000)
    shard.share.heartbeat(beat("b"), settings, 5000)
    shard.share.heartbeat(beat("b", group.members["b"].epoch), settings, 5100)
    assert group.target["b"]


def test_only_a_heartbeat_makes_an_assignment() -> None:
    shard = a_shard(SomeTopics(dogs=2))
    for name in ("a", "b"):
        shard.share.heartbeat(beat(name), SETTINGS, 0)
    shard.share.heartbeat(beat("b", -1), SETTINGS, 0)
    group = shard.share.get("g")
    assert group is not None
    shard.share.on_time(group, 0)
    assert group.epoch == group.assignment_epoch + 1
    shard.share.heartbeat(beat("a", group.members["a"].epoch), SETTINGS, 0)
    assert group.epoch == group.assignment_epoch


def test_the_name_of_a_share_group_takes_no_offsets_and_goes_with_those_it_had() -> None:
    shard = a_shard(SomeTopics(dogs=2))
    place = TopicPartition("dogs", 0)
    shard.replay(*encode_commit("g", place, OffsetAndMetadata(7, 2, "", 1000)))
    shard.share.heartbeat(beat("a"), SETTINGS, 0)
    shard.share.heartbeat(beat("a", -1), SETTINGS, 0)
    assert list(shard.views()) == []
    offsets = {place: OffsetAndMetadata(8, 2, "", 1000)}
    for in_transaction, generation in ((False, -1), (True, -1), (True, 3)):
        asked = Commit(
            "g", Identity(""), generation, offsets, ErrorCode.ILLEGAL_GENERATION, in_transaction
        )
        refused = shard.commit(asked, 0)
        assert (refused.reply, refused.records) == ({place: ErrorCode.GROUP_ID_NOT_FOUND}, ())
    assert outcome_of(shard.delete_offsets("g", [place])).reply is ErrorCode.GROUP_ID_NOT_FOUND
    deleted = refused_first(shard, lambda: shard.delete_group("g"))
    assert deleted.reply is ErrorCode.NONE
    for record in deleted.records:
        shard.replay(*record)
    assert shard.kind_of("g") is None
