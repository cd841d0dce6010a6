"""Connections that carry only heartbeats: noticed late together with others, and served whatever comes next."""

from collections.abc import Iterator
from contextlib import ExitStack
from threading import Event

import pytest

from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from barnabas.runtime.connections.batched_polling import ENOUGH, BatchedPolling
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set when a broker has looked at its late connections."""
    looked = Event()
    look = BatchedPolling._look

    def note(lane: BatchedPolling) -> None:
        look(lane)
        looked.set()

    monkeypatch.setattr(BatchedPolling, "_look", note)
    return looked


class Member:
    """A client that is a member of a share group of its own."""

    def __init__(self, port: int, number: int) -> None:
        self.client = RawClient(port)
        self._name, self._epoch = f"member-{number}", 0
        self.beat(topics=["dogs"])

    def beat(self, topics: list[str] | None = None) -> None:
        self.ask(topics)
        self.hear()

    def ask(self, topics: list[str] | None = None) -> None:
        asked = ShareGroupHeartbeatRequest(
            group_id=self._name,
            member_id=self._name,
            member_epoch=self._epoch,
            subscribed_topic_names=topics,
        )
        self.client.send(self.client.frame(asked, 1))

    def hear(self) -> None:
        reported = self.client.receive(ShareGroupHeartbeatResponse)
        assert not reported.error_code
        self._epoch = reported.member_epoch


@pytest.fixture
def members(looked: Event) -> Iterator[tuple[EmbeddedBroker, list[Member]]]:
    """A broker and so many idle members that they are looked at together."""
    with EmbeddedBroker() as broker, ExitStack() as stack:
        members = [Member(broker.port, number) for number in range(ENOUGH)]
        for one in members:
            stack.enter_context(one.client)
        for _ in range(3):
            beat_all(members)
        assert looked.wait(60)
        yield broker, members


def beat_all(members: list[Member]) -> None:
    for one in members:
        one.ask()
    for one in members:
        one.hear()


def test_many_idle_members_are_served_whatever_they_do_next(
    members: tuple[EmbeddedBroker, list[Member]], looked: Event
) -> None:
    broker, every = members
    looked.clear()
    beat_all(every)
    assert looked.wait(60)  # The responses are there before the look is over.
    assert len(every[0].client.ask(ListGroupsRequest(), 0, ListGroupsResponse).groups) >= 0
    every[1].client.end_sending()
    assert every[1].client.is_closed_by_the_other_side()
    beat_all(every[2:])
    broker.stop()
    assert all(one.client.is_closed_by_the_other_side() for one in every)


def test_when_most_have_left_the_others_are_served(
    members: tuple[EmbeddedBroker, list[Member]],
) -> None:
    _, every = members
    for one in every[1:]:
        one.client.end_sending()
    assert all(one.client.is_closed_by_the_other_side() for one in every[1:])
    beat_all(every[:1])
