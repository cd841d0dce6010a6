"""Proposed ISRs: by the partition's znode, or by AlterPartition; what a leader gets for an answer."""

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.cluster.inter_broker import versions_of
from barnabas.broker.cluster.isr_changes import IsrChanges, IsrPorts
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.cluster.image import PartitionState
from barnabas.cluster.znodes import encode_state, state_path
from barnabas.errors import ConnectionFailed, ErrorCode, RegistryUnavailable
from barnabas.protocol.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResponsePartition,
    AlterPartitionResponseTopic,
)
from barnabas.replication.effects import IsrProposal
from barnabas.types import NodeId, TopicPartition
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.unit.broker.in_memory import StillClock
from tests.unit.runtime.manual_timers import ManualTimers

DOGS = TopicPartition("dogs", 0)
ONE, TWO = NodeId(1), NodeId(2)
STATE = PartitionState(ONE, 3, (ONE,), (ONE, TWO), partition_epoch=0, controller_epoch=7)
WANTED = IsrProposal(((ONE, -1), (TWO, -1)), leader_epoch=3, partition_epoch=0)


class Member:
    """A leader of epoch 3 whose changes and refusals are noted, and a controller that answers later."""

    def __init__(self, protocol: str) -> None:
        self.timers = ManualTimers()
        self.session: SimulatedSession = SimulatedZooKeeper().session()
        self.session.create(state_path(DOGS), encode_state(STATE))
        self.changed: list[tuple[frozenset[NodeId], int]] = []
        self.refused: list[tuple[int, ErrorCode]] = []
        self.asked: list[tuple[AlterPartitionRequest, Callable[[object], None]]] = []
        self.shown: list[PartitionState] = []
        self.clock = StillClock()
        self.state = STATE
        role = self.role = SimpleNamespace(
            leader=SimpleNamespace(leader_epoch=3),
            change=lambda isr, _replicas, epoch: self.changed.append((isr, epoch)),
            refuse_isr=lambda epoch, error: self.refused.append((epoch, error)),
        )
        self.changes = IsrChanges(
            IsrPorts(
                ONE,
                versions_of(protocol),
                self.session,
                self.timers,
                self.clock,
                lambda: 55,
                lambda _place: cast("LeaderRole", role),
                lambda _place: self.state,
                lambda request, on_answer: self.asked.append(
                    (cast("AlterPartitionRequest", request), on_answer)
                ),
                lambda _place, state: self.shown.append(state),
            )
        )

    def propose(self) -> None:
        self.changes.propose(DOGS, WANTED)
        self.timers.run_soon()

    def answer(self, error: ErrorCode = ErrorCode.NONE, of_all: ErrorCode = ErrorCode.NONE) -> None:
        row = AlterPartitionResponsePartition(
            partition_index=0,
            error_code=error,
            leader_id=1,
            leader_epoch=3,
            isr=[1, 2],
            partition_epoch=1,
        )
        topic = AlterPartitionResponseTopic(topic_name="dogs", partitions=[row])
        self.asked.pop()[1](AlterPartitionResponse(error_code=of_all, topics=[topic]))


def test_below_2_7_the_leader_writes_it_and_the_controller_is_notified() -> None:
    member = Member("2.6")
    member.propose()
    data, version = member.session.get(state_path(DOGS)) or (b"", -1)
    assert (json.loads(data)["isr"], json.loads(data)["controller_epoch"], version) == (
        [1, 2],
        7,
        1,
    )
    assert (member.changed, member.refused) == ([(frozenset({1, 2}), 1)], [])
    assert [one.isr for one in member.shown] == [(1, 2)]
    member.timers.advance(3)
    (name,) = member.session.children("/isr_change_notification")
    note, _ = member.session.get(f"/isr_change_notification/{name}") or (b"", 0)
    assert name.startswith("isr_change_")
    assert json.loads(note) == {"version": 1, "partitions": [{"topic": "dogs", "partition": 0}]}


def test_while_zookeeper_does_not_answer_nothing_waits_and_one_write_is_out() -> None:
    member = Member("2.6")
    member.session.withheld = []
    member.propose()
    member.propose()
    assert (member.changed, member.refused, len(member.session.withheld)) == ([], [], 1)
    member.session.answer()
    assert member.changed == [(frozenset({1, 2}), 1)]
    member.timers.run_soon()
    # What was proposed meanwhile follows; the node has it already.
    assert member.changed == [(frozenset({1, 2}), 1)] * 2


def test_an_answer_of_another_leader_epoch_has_no_effect_and_the_controller_learns_of_the_write() -> (
    None
):
    member = Member("2.6")
    member.session.withheld = []
    member.propose()
    member.role.leader.leader_epoch = 4
    member.session.answer()
    assert (member.changed, member.refused, member.shown) == ([], [], [])
    member.timers.advance(3)
    assert len(member.session.children("/isr_change_notification")) == 1


def test_an_answer_that_is_older_than_what_the_controller_says_has_no_effect() -> None:
    member = Member("2.6")
    member.session.withheld = []
    member.propose()
    member.state = replace(STATE, partition_epoch=5)
    member.session.answer()
    assert (member.changed, member.refused, member.shown) == ([], [], [])


def test_what_could_not_be_reported_is_reported_later() -> None:
    member = Member("2.6")
    member.propose()
    member.session.reachable = False
    member.timers.advance(3)
    member.session.reachable = True
    assert member.session.children("/isr_change_notification") == []
    member.timers.advance(3)
    assert len(member.session.children("/isr_change_notification")) == 1


def test_what_the_controller_wrote_meanwhile_counts() -> None:
    member = Member("2.6")
    alone = PartitionState(ONE, 3, (ONE,), (ONE,), controller_epoch=7)
    member.session.set(state_path(DOGS), encode_state(alone))
    member.propose()
    assert (member.changed, member.refused) == ([(frozenset({1}), 1)], [])


def test_a_newer_leader_epoch_and_a_zookeeper_that_is_gone_refuse() -> None:
    member = Member("2.6")
    newer = PartitionState(TWO, 4, (TWO,), (ONE, TWO), controller_epoch=7)
    member.session.set(state_path(DOGS), encode_state(newer))
    member.propose()
    member.session.reachable = False
    member.propose()
    assert member.refused == [
        (0, ErrorCode.FENCED_LEADER_EPOCH),
        (0, ErrorCode.NETWORK_EXCEPTION),
    ]


def test_an_answer_that_goes_with_the_connection_is_a_warning_and_no_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    member = Member("2.6")
    lost = RegistryUnavailable("the answer is lost")
    monkeypatch.setattr(member.session, "later", lambda _work, on_done: on_done(lost))
    member.propose()
    assert member.refused == [(0, ErrorCode.NETWORK_EXCEPTION)]
    assert [one.levelname for one in caplog.records] == ["WARNING"]


def test_from_2_7_on_the_controller_is_asked() -> None:
    member = Member("2.8")
    member.propose()
    ((request, _),) = member.asked
    (row,) = request.topics[0].partitions
    assert (request.broker_id, request.broker_epoch, request.topics[0].topic_name) == (
        1,
        55,
        "dogs",
    )
    assert (row.new_isr, row.leader_epoch, row.partition_epoch) == ([1, 2], 3, 0)
    member.answer()
    assert (member.changed, member.refused) == ([(frozenset({1, 2}), 1)], [])


@pytest.mark.parametrize("of_all", [False, True])
def test_its_refusals_reach_the_leader(*, of_all: bool) -> None:
    member = Member("2.8")
    member.propose()
    error = ErrorCode.STALE_BROKER_EPOCH if of_all else ErrorCode.INVALID_UPDATE_VERSION
    member.answer(*((ErrorCode.NONE, error) if of_all else (error,)))
    assert (member.changed, member.refused) == ([], [(0, error)])


def test_one_request_is_out_at_a_time_and_no_answer_is_a_refusal() -> None:
    member = Member("2.8")
    member.propose()
    member.propose()
    ((_, on_answer),) = member.asked
    member.asked.clear()
    on_answer(ConnectionFailed("gone"))
    assert member.refused == [(0, ErrorCode.NETWORK_EXCEPTION)]
    member.timers.run_soon()
    assert len(member.asked) == 1


def test_that_no_controller_is_ready_is_logged_once_and_now_and_then(
    caplog: pytest.LogCaptureFixture,
) -> None:
    member = Member("2.8")

    def warned(error: ErrorCode, times: int = 3) -> int:
        caplog.clear()
        for _ in range(times):
            member.propose()
            member.answer(of_all=error)
        return sum(one.levelname == "WARNING" for one in caplog.records)

    assert warned(ErrorCode.NOT_CONTROLLER) == 1
    assert warned(ErrorCode.NOT_CONTROLLER) == 0
    assert warned(ErrorCode.STALE_BROKER_EPOCH) == 1
    member.clock.seconds += 31
    assert warned(ErrorCode.STALE_BROKER_EPOCH) == 1
    assert warned(ErrorCode.NONE) == 0
    assert warned(ErrorCode.STALE_BROKER_EPOCH) == 1
