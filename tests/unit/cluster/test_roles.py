"""Roles: what a broker's replicas become."""

from dataclasses import replace

from barnabas.cluster.image import ClusterImage, ImageDelta, PartitionState, TopicDelta
from barnabas.cluster.roles import RoleChanges, role_changes
from barnabas.types import NodeId, TopicPartition

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)
DOGS = TopicPartition("dogs", 0)
STATE = PartitionState(ONE, 3, (ONE, TWO), (ONE, TWO), 7)
ID, OTHER = b"a" * 16, b"b" * 16


def image(state: PartitionState | None, topic_id: bytes = ID) -> ClusterImage:
    return ClusterImage().apply(ImageDelta(topics={"dogs": TopicDelta(topic_id, {0: state})}))


NOTHING = ClusterImage()


def test_a_new_partition_is_led_or_followed() -> None:
    after = image(STATE)
    assert role_changes(NOTHING, after, ONE) == RoleChanges(lead=((DOGS, STATE),))
    assert role_changes(NOTHING, after, TWO) == RoleChanges(follow=((DOGS, STATE),))
    assert role_changes(NOTHING, after, THREE) == RoleChanges()


def test_a_new_epoch_is_a_new_role() -> None:
    moved = replace(STATE, leader=TWO, leader_epoch=4)
    assert role_changes(image(STATE), image(moved), TWO).lead == ((DOGS, moved),)
    assert role_changes(image(STATE), image(moved), ONE).follow == ((DOGS, moved),)
    again = replace(STATE, leader_epoch=4)
    assert role_changes(image(STATE), image(again), ONE).lead == ((DOGS, again),)


def test_another_isr_is_the_same_role() -> None:
    shrunk = replace(STATE, isr=(ONE,), partition_epoch=8)
    assert role_changes(image(STATE), image(shrunk), ONE) == RoleChanges(update=((DOGS, shrunk),))
    assert role_changes(image(STATE), image(replace(STATE)), ONE) == RoleChanges()


def test_a_replica_elsewhere_is_left() -> None:
    moved = replace(STATE, replicas=(ONE, THREE), leader_epoch=4)
    assert role_changes(image(STATE), image(moved), TWO) == RoleChanges(leave=(DOGS,))
    assert role_changes(image(STATE), image(moved), THREE) == RoleChanges(follow=((DOGS, moved),))
    assert role_changes(image(STATE), NOTHING, ONE) == RoleChanges(leave=(DOGS,))


def test_of_a_topic_made_again_the_old_replica_is_left_first() -> None:
    after = image(STATE, OTHER)
    found = role_changes(image(STATE), after, ONE)
    assert found == RoleChanges(lead=((DOGS, STATE),), leave=(DOGS,))


def test_what_both_images_share_is_not_looked_at() -> None:
    before = image(STATE)
    after = before.apply(ImageDelta(topics={"cats": TopicDelta(partitions={0: STATE})}))
    found = role_changes(before, after, ONE)
    assert found == RoleChanges(lead=((TopicPartition("cats", 0), STATE),))
