"""Controller: what it decides, event by event. (Random events: tests/property/cluster/test_controller.py.)"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from barnabas.cluster.controller import step
from barnabas.cluster.events import (
    BrokersChanged,
    ControllerEvent,
    DeletionAsked,
    Elected,
    IsrProposed,
    IsrWritten,
    PartitionsAdded,
    PreferredElection,
    Reassigned,
    ReplicasDeleted,
    ReplicasFailed,
    ShutdownAsked,
    UncleanElection,
)
from barnabas.cluster.image import (
    NO_LEADER,
    Broker,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.cluster.view import Decision, View
from barnabas.errors import ErrorCode
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.types import MUST_BE_NEW, NodeId, TopicPartition

ONE, TWO, THREE, FOUR = map(NodeId, (1, 2, 3, 4))
DOGS = TopicPartition("dogs", 0)
ID = b"d" * 16
PATH = "/brokers/topics/dogs/partitions/0/state"


def brokers(*lives: int) -> BrokersChanged:
    """Brokers 1, 2 … with these epochs; 0: it is not there."""
    return BrokersChanged(
        {
            NodeId(number): Broker(NodeId(number), epoch=epoch)
            for number, epoch in enumerate(lives, start=1)
            if epoch
        }
    )


class Controller:
    """A view that takes events, with what came of the last one."""

    def __init__(self, *events: ControllerEvent) -> None:
        self.view = View(ClusterImage(controller=ONE, controller_epoch=5))
        self.last = Decision(self.view)
        for event in events:
            self.take(event)

    def take(self, event: ControllerEvent) -> Decision:
        self.last = step(self.view, event)
        self.view = self.last.after
        return self.last

    def state(self) -> PartitionState:
        found = self.view.image.partition(DOGS)
        assert found is not None
        return found

    def brief(self) -> tuple[int, int, Sequence[int]]:
        """Leader, leader epoch, ISR."""
        return self.state().leader, self.state().leader_epoch, self.state().isr

    def sent(self) -> list[tuple[int, str]]:
        """Which broker got which request."""
        short = {
            LeaderAndIsrRequest: "lead",
            UpdateMetadataRequest: "show",
            StopReplicaRequest: "stop",
        }
        return [(one.node_id, short[type(one.message)]) for one in self.last.requests]

    def propose(self, *isr: tuple[NodeId, int], leader: NodeId | None = None) -> Decision:
        state = self.state()
        node_id = state.leader if leader is None else leader
        return self.take(
            IsrProposed(node_id, -1, DOGS, isr, state.leader_epoch, state.partition_epoch)
        )


def three(replicas: tuple[NodeId, ...] = (ONE, TWO, THREE)) -> Controller:
    """Brokers 1 to 3 in their lives 11 to 13, and a partition."""
    return Controller(brokers(11, 12, 13), PartitionsAdded("dogs", ID, {0: replicas}))


def test_a_new_partition_is_written_then_led_then_shown() -> None:
    controller = three((TWO, ONE))
    assert controller.brief() == (TWO, 0, (TWO, ONE))
    (write,) = controller.last.writes
    assert (write.path, write.version) == (PATH, MUST_BE_NEW)
    assert controller.sent() == [(1, "lead"), (2, "lead"), (1, "show"), (2, "show"), (3, "show")]
    first = controller.last.requests[0].message
    assert isinstance(first, LeaderAndIsrRequest)
    assert (first.controller_id, first.controller_epoch, first.broker_epoch) == (1, 5, 11)
    (row,) = first.ungrouped_partition_states
    assert row.is_new
    assert (row.leader, row.isr, row.partition_epoch) == (2, [2, 1], 0)
    assert first.topic_states[0].topic_id == ID


def test_a_partition_without_live_replicas_waits_for_one() -> None:
    controller = three((FOUR,))
    assert controller.brief() == (NO_LEADER, -1, ())
    assert not controller.last.writes
    controller.take(brokers(11, 12, 13, 14))
    assert controller.brief() == (FOUR, 0, (FOUR,))


def test_a_leader_that_goes_is_replaced_from_the_isr() -> None:
    controller = three()
    controller.propose((ONE, 11), (THREE, 13))
    controller.take(brokers(0, 12, 13))
    assert controller.brief() == (THREE, 1, (THREE,))
    assert [(one.path, one.version) for one in controller.last.writes] == [(PATH, 1)]
    assert controller.sent() == [(2, "lead"), (3, "lead"), (2, "show"), (3, "show")]


def test_a_follower_that_goes_leaves_the_isr_in_a_new_epoch() -> None:
    controller = three()
    controller.take(brokers(11, 0, 13))
    assert controller.brief() == (ONE, 1, (ONE, THREE))


def test_the_last_in_sync_stays_so_and_only_it_leads_again() -> None:
    controller = three((ONE, TWO))
    controller.propose((ONE, 11))
    controller.take(brokers(0, 12, 13))
    assert controller.brief() == (NO_LEADER, 1, (ONE,))
    controller.take(brokers(21, 12, 13))
    assert controller.brief() == (ONE, 2, (ONE,))


def test_where_all_go_at_once_each_may_lead_again() -> None:
    controller = three((ONE, TWO))
    controller.take(brokers(0, 0, 13))
    assert controller.brief() == (NO_LEADER, 1, (ONE, TWO))
    controller.take(brokers(0, 22, 13))
    assert controller.brief() == (TWO, 2, (TWO,))


def test_a_broker_in_another_life_went_and_came() -> None:
    """KIP-380: no controller saw it stop, and a replica that lost records must not be in sync."""
    controller = three()
    controller.take(brokers(21, 12, 13))
    assert controller.brief() == (TWO, 1, (TWO, THREE))
    to_it = [one.message for one in controller.last.requests if one.node_id == ONE]
    assert [one.broker_epoch for one in to_it] == [21, 21, 21]


def test_a_broker_that_comes_knows_the_others_before_it_follows_one() -> None:
    """Kafka refuses to follow a leader that no UpdateMetadata has named."""
    controller = three((TWO, ONE))
    controller.take(brokers(0, 12, 13))
    controller.take(brokers(21, 12, 13))
    assert controller.sent()[:4] == [(1, "show"), (2, "show"), (3, "show"), (1, "lead")]
    first = controller.last.requests[0].message
    assert isinstance(first, UpdateMetadataRequest)
    assert [one.id for one in first.live_brokers] == [1, 2, 3]
    assert not first.topic_states


def test_brokers_as_before_change_nothing() -> None:
    controller = three()
    assert controller.take(brokers(11, 12, 13)) == Decision(controller.view)
    moved = {**brokers(11, 12, 13).brokers, TWO: Broker(TWO, rack="b", epoch=12)}
    controller.take(BrokersChanged(moved))
    assert controller.sent() == [(1, "show"), (2, "show"), (3, "show")]
    assert not controller.last.writes


@pytest.mark.parametrize("own", [{}, {"dogs": False}])
def test_where_the_broker_allows_unclean_elections_a_topic_may_not(own: dict[str, bool]) -> None:
    controller = three((ONE, TWO))
    controller.propose((ONE, 11))
    controller.view = View(controller.view.image, unclean=own, unclean_by_default=True)
    controller.take(brokers(0, 12, 13))
    assert controller.brief() == ((NO_LEADER, 1, (ONE,)) if own else (TWO, 1, (TWO,)))


@pytest.mark.parametrize("is_on", [False, True])
def test_unclean_elections_are_a_choice_of_the_topic(*, is_on: bool) -> None:
    controller = three((ONE, TWO))
    controller.propose((ONE, 11))
    if is_on:
        controller.view = View(controller.view.image, unclean={"dogs": True})
    controller.take(brokers(0, 12, 13))
    assert controller.brief() == ((TWO, 1, (TWO,)) if is_on else (NO_LEADER, 1, (ONE,)))
    assert controller.state().recovering == is_on
    if not is_on:
        controller.take(UncleanElection((DOGS,)))
        assert controller.brief() == (TWO, 2, (TWO,))
    controller.propose((TWO, 12))
    assert controller.take(UncleanElection((DOGS,))).errors == {DOGS: ErrorCode.ELECTION_NOT_NEEDED}


def test_preferred_elections() -> None:
    controller = three()
    election = PreferredElection((DOGS,))
    assert controller.take(election).errors == {DOGS: ErrorCode.ELECTION_NOT_NEEDED}
    controller.take(brokers(0, 12, 13))
    not_there = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert controller.take(election).errors == {DOGS: not_there}
    controller.take(brokers(21, 12, 13))
    assert controller.take(election).errors == {DOGS: not_there}  # Back, and not in sync yet.
    controller.propose((ONE, 21), (TWO, 12), (THREE, 13))
    assert not controller.take(election).errors
    assert controller.brief() == (ONE, 2, (ONE, TWO, THREE))
    unknown = TopicPartition("cats", 0)
    assert controller.take(PreferredElection((unknown,))).errors == {
        unknown: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    }


def test_a_leader_has_its_isr_if_nothing_is_against_it() -> None:
    controller = three()
    controller.propose((ONE, 11), (TWO, 12))
    assert controller.brief() == (ONE, 0, (ONE, TWO))
    assert controller.state().partition_epoch == 1
    assert controller.sent() == [(1, "show"), (2, "show"), (3, "show")]


def test_proposals_are_refused() -> None:
    controller = three()
    refused = {
        ErrorCode.INVALID_REQUEST: [controller.propose((TWO, 12), leader=TWO)],
        ErrorCode.INELIGIBLE_REPLICA: [controller.propose((ONE, 11), (TWO, 2))],
    }
    refused[ErrorCode.INVALID_REQUEST] += [
        controller.propose((TWO, 12)),
        controller.propose((ONE, 11), (FOUR, 14)),
        controller.propose(),
    ]
    for error, decisions in refused.items():
        assert [one.errors for one in decisions] == [{DOGS: error}] * len(decisions)
    rows = ((ONE, 11),)
    asked = [
        (IsrProposed(ONE, 11, DOGS, rows, 1, 0), ErrorCode.FENCED_LEADER_EPOCH),
        (IsrProposed(ONE, 11, DOGS, rows, 0, 9), ErrorCode.INVALID_UPDATE_VERSION),
        (
            IsrProposed(ONE, 11, TopicPartition("cats", 0), rows, 0, 0),
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ),
    ]
    for event, error in asked:
        assert list(controller.take(event).errors.values()) == [error]
    late = IsrProposed(ONE, 10, DOGS, rows, 0, 0)
    assert controller.take(late).error is ErrorCode.STALE_BROKER_EPOCH
    assert controller.brief() == (ONE, 0, (ONE, TWO, THREE))


def test_what_is_so_already_is_no_error_whatever_its_version() -> None:
    controller = three()
    again = IsrProposed(ONE, 11, DOGS, ((THREE, -1), (TWO, -1), (ONE, -1)), 0, 9)
    decision = controller.take(again)
    assert not decision.errors
    assert not decision.writes


def test_a_broker_that_shuts_down_leads_and_follows_no_more() -> None:
    controller = three()
    controller.take(ShutdownAsked(ONE, 11))
    assert controller.brief() == (TWO, 1, (TWO, THREE))
    controller.take(ShutdownAsked(THREE, 13))
    assert controller.brief() == (TWO, 2, (TWO,))
    assert (3, "stop") in controller.sent()
    assert (3, "lead") not in controller.sent()
    assert controller.take(ShutdownAsked(TWO, 12)).remaining == (DOGS,)
    assert controller.propose((TWO, 12), (ONE, 11)).errors == {DOGS: ErrorCode.INELIGIBLE_REPLICA}


def test_who_may_not_shut_down() -> None:
    controller = three()
    assert controller.take(ShutdownAsked(ONE, 10)).error is ErrorCode.STALE_BROKER_EPOCH
    assert controller.take(ShutdownAsked(FOUR, 1)).error is ErrorCode.BROKER_NOT_AVAILABLE
    alone = three((ONE,))
    assert alone.take(ShutdownAsked(ONE, 11)).remaining == ()


def test_a_partition_moves_without_losing_a_replica_on_the_way() -> None:
    controller = Controller(brokers(11, 12, 13, 14), PartitionsAdded("dogs", ID, {0: (ONE, TWO)}))
    controller.take(Reassigned({DOGS: (THREE, FOUR)}))
    state = controller.state()
    assert (state.replicas, state.adding, state.removing) == (
        (THREE, FOUR, ONE, TWO),
        (THREE, FOUR),
        (ONE, TWO),
    )
    assert controller.brief() == (ONE, 1, (ONE, TWO))
    assert [one.path for one in controller.last.writes] == [PATH, "/brokers/topics/dogs"]
    controller.propose((ONE, 11), (TWO, 12), (THREE, 13))
    assert controller.state().adding == (THREE, FOUR)
    controller.propose((ONE, 11), (TWO, 12), (THREE, 13), (FOUR, 14))
    state = controller.state()
    assert (state.replicas, state.adding, state.removing) == ((THREE, FOUR), (), ())
    assert controller.brief() == (THREE, 2, (THREE, FOUR))
    assert {(1, "stop"), (2, "stop"), (3, "lead"), (4, "lead")} <= {*controller.sent()}
    assert not {(1, "lead"), (2, "lead")} & {*controller.sent()}


def test_the_replicas_that_a_move_adds_are_new_to_their_brokers() -> None:
    """A broker with a failed directory must know: what is not new may be in it."""
    controller = Controller(brokers(11, 12, 13), PartitionsAdded("dogs", ID, {0: (ONE, TWO)}))
    controller.take(Reassigned({DOGS: (TWO, THREE)}))
    rows = {
        int(one.node_id): one.message.ungrouped_partition_states[0].is_new
        for one in controller.last.requests
        if isinstance(one.message, LeaderAndIsrRequest)
    }
    assert rows == {1: False, 2: False, 3: True}


def test_an_isr_that_a_leader_has_written_itself_ends_a_move() -> None:
    controller = three((ONE,))
    controller.take(Reassigned({DOGS: (TWO,)}))
    state = replace(controller.state(), isr=(ONE, TWO), partition_epoch=9)
    delta = ImageDelta(topics={"dogs": TopicDelta(ID, {0: state})})
    controller.view = replace(controller.view, image=controller.view.image.apply(delta))
    controller.take(IsrWritten((DOGS,)))
    assert controller.brief() == (TWO, 2, (TWO,))
    assert [one.version for one in controller.last.writes if "state" in one.path] == [9]
    assert (3, "show") in controller.sent()


def test_a_move_is_cancelled_or_replaced() -> None:
    controller = Controller(brokers(11, 12, 13, 14), PartitionsAdded("dogs", ID, {0: (ONE, TWO)}))
    controller.take(Reassigned({DOGS: (THREE, FOUR)}))
    controller.take(Reassigned({DOGS: (ONE, THREE)}))
    state = controller.state()
    assert (state.replicas, state.adding, state.removing) == ((ONE, THREE, TWO), (THREE,), (TWO,))
    assert (4, "stop") in controller.sent()
    controller.take(Reassigned({DOGS: None}))
    state = controller.state()
    assert (state.replicas, state.adding, state.removing) == ((ONE, TWO), (), ())
    assert (3, "stop") in controller.sent()
    nothing = controller.take(Reassigned({DOGS: None})).errors
    assert nothing == {DOGS: ErrorCode.NO_REASSIGNMENT_IN_PROGRESS}


@pytest.mark.parametrize("wanted", [(), (ONE, ONE), (NodeId(9),), (NodeId(-1),)])
def test_moves_to_nowhere_are_refused(wanted: tuple[NodeId, ...]) -> None:
    controller = three()
    errors = controller.take(Reassigned({DOGS: wanted})).errors
    assert errors == {DOGS: ErrorCode.INVALID_REPLICA_ASSIGNMENT}
    assert not controller.last.writes


def test_another_order_of_the_same_replicas_is_another_preferred_leader() -> None:
    controller = three()
    controller.take(Reassigned({DOGS: (TWO, ONE, THREE)}))
    assert controller.state().replicas == (TWO, ONE, THREE)
    assert not controller.state().adding
    controller.take(PreferredElection((DOGS,)))
    assert controller.state().leader == TWO


def test_a_topic_goes_when_all_its_replicas_are_gone() -> None:
    controller = three((ONE, TWO))
    controller.take(brokers(11, 0, 13))
    controller.take(DeletionAsked("dogs"))
    assert controller.sent() == [(1, "show"), (3, "show"), (1, "stop")]
    shown = controller.last.requests[0].message
    assert isinstance(shown, UpdateMetadataRequest)
    assert shown.ungrouped_partition_states[0].leader == -2
    controller.take(ReplicasDeleted(ONE, {DOGS: ErrorCode.NONE}))
    assert "dogs" in controller.view.image.topics
    controller.take(brokers(11, 22, 13))
    stop = controller.last.requests[-1]
    assert isinstance(stop.message, StopReplicaRequest)
    assert stop.node_id == TWO
    assert stop.message.topic_states[0].partition_states[0].leader_epoch == -2
    controller.take(ReplicasDeleted(TWO, {DOGS: ErrorCode.NONE}))
    assert not controller.view.image.topics
    assert not controller.view.deletions
    assert [(one.path, one.data) for one in controller.last.writes] == [
        ("/brokers/topics/dogs", None),
        ("/config/topics/dogs", None),
        ("/admin/delete_topics/dogs", None),
    ]


def test_what_cannot_be_deleted_is_tried_again_in_the_brokers_next_life() -> None:
    controller = three((ONE,))
    controller.take(DeletionAsked("dogs"))
    controller.take(ReplicasDeleted(ONE, {DOGS: ErrorCode.KAFKA_STORAGE_ERROR}))
    assert not controller.last.requests
    controller.take(brokers(21, 12, 13))
    assert controller.sent()[-1] == (1, "stop")
    unknown = controller.take(DeletionAsked("cats")).error
    assert unknown is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_replica_in_a_failed_directory_neither_leads_nor_is_in_sync() -> None:
    controller = three()
    controller.take(ReplicasFailed(ONE, (DOGS,)))
    assert controller.brief() == (TWO, 1, (TWO, THREE))
    assert controller.state().offline == (ONE,)
    shown = controller.last.requests[-1].message
    assert isinstance(shown, UpdateMetadataRequest)
    assert shown.ungrouped_partition_states[0].offline_replicas == [1]
    controller.take(brokers(21, 12, 13))
    assert controller.state().offline == ()


def test_a_new_controller_tells_all_and_mends_what_broke() -> None:
    controller = three()
    image = controller.view.image
    left = {one: broker for one, broker in image.brokers.items() if one != ONE}
    controller.view = View(ClusterImage(left, image.topics, image.names, TWO, 6))
    controller.take(Elected())
    assert controller.brief() == (TWO, 1, (TWO, THREE))
    assert controller.state().controller_epoch == 6
    assert controller.sent() == [
        *((2, "show"), (3, "show")),
        *((2, "lead"), (3, "lead")),
        *((2, "show"), (3, "show")),
    ]
    assert all(one.message.controller_epoch == 6 for one in controller.last.requests)


@pytest.mark.parametrize(
    ("lives", "written", "leader", "isr"),
    [
        pytest.param((21, 12, 13), 20, TWO, (TWO, THREE), id="the leader was away"),
        pytest.param((11, 21, 13), 20, ONE, (ONE, THREE), id="a follower was away"),
        pytest.param((21, 22, 13), 20, THREE, (THREE,), id="one was not away"),
        pytest.param((21, 22, 23), 20, ONE, (ONE, TWO, THREE), id="all were away"),
        pytest.param((21, 0, 23), 20, ONE, (ONE, THREE), id="all were away, and one is gone"),
        pytest.param((21, 12, 13), 21, ONE, (ONE, TWO, THREE), id="it was written since"),
    ],
)
def test_a_new_controller_sees_who_was_away_while_there_was_none(
    lives: tuple[int, ...], written: int, leader: NodeId, isr: tuple[NodeId, ...]
) -> None:
    """A broker that lost its disk, and was back before anybody saw that it was gone, would lead."""
    controller = three()
    image = controller.view.image
    there = brokers(*lives).brokers
    controller.view = View(ClusterImage(there, image.topics, image.names, TWO, 6))
    controller.take(Elected({DOGS: written}))
    found = controller.state()
    assert (found.leader, found.isr) == (leader, isr)
    assert controller.state().leader_epoch == (0 if isr == (ONE, TWO, THREE) else 1)
