from collections.abc import Iterator, Mapping, Sequence

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.zookeeper.admin_requests import ZooKeeperAdminRequests
from barnabas.errors import KafkaError, StorageError
from sim.world.zookeeper import SimulatedZooKeeper
from tests.unit.broker.in_memory import a_broker, slowly
from tests.unit.runtime.manual_timers import ManualTimers

MADE = b'{"version":1,"partitions":{"0":[1],"1":[1]}}'


class Here:
    """A broker whose registry is shared with a tool."""

    def __init__(self, config: Mapping[str, object] | None = None) -> None:
        keeper = SimulatedZooKeeper()
        self.session, self.tool = keeper.session(), keeper.session()
        self.timers = ManualTimers()
        self.broker: Broker = a_broker(config, self.session, self.timers)
        self.requests = ZooKeeperAdminRequests(self.session, self.broker)

    def hear(self) -> None:
        self.session.deliver()

    @property
    def topics(self) -> list[str]:
        return [topic.name for topic in self.broker.topics]


@pytest.fixture
def here() -> Here:
    return Here()


def test_a_topic_that_a_tool_wrote_is_served_and_has_an_id_from_then_on(here: Here) -> None:
    received: list[str] = []
    here.broker.topics.on_change.append(lambda topic: received.append(topic.name))
    here.tool.create("/config/topics/dogs", b'{"version":1,"config":{"retention.ms":"5"}}')
    here.tool.create("/brokers/topics/dogs", MADE)
    here.hear()
    topic = here.broker.topics.get("dogs")
    assert topic is not None
    assert list(topic.partitions) == [0, 1]
    assert topic.config == {"retention.ms": "5"}
    assert received == ["dogs"]
    node = here.tool.get("/brokers/topics/dogs")
    assert node is not None
    assert b'"topic_id"' in node[0]


@pytest.mark.parametrize(
    ("name", "data", "config"),
    [
        ("dogs", b"garbage", None),
        ("dogs", b"[]", None),
        ("..bad name", MADE, None),
        ("dogs", MADE, b"garbage"),
        ("dogs", MADE, b'{"version":1,"config":{"no.such":"1"}}'),
    ],
)
def test_what_cannot_be_is_left_alone_and_holds_nothing_up(
    name: str, data: bytes, config: bytes | None, here: Here
) -> None:
    if config is not None:
        here.tool.create(f"/config/topics/{name}", config)
    here.tool.create(f"/brokers/topics/{name}", data)
    here.tool.create("/brokers/topics/zebras", MADE)
    here.hear()
    assert here.topics == ["zebras"]


def test_a_topic_that_a_tool_marks_is_deleted(here: Here) -> None:
    here.broker.topics.create("dogs", {0: [1]}, {})
    here.tool.create("/admin/delete_topics/dogs", b"")
    here.tool.create("/admin/delete_topics/never-there", b"")
    here.hear()
    assert here.topics == []
    assert here.tool.children("/brokers/topics") == []
    assert here.tool.children("/admin/delete_topics") == []


def test_many_that_tools_mark_are_deleted_in_steps_while_others_are_served(here: Here) -> None:
    for number in range(100):
        here.broker.topics.create(f"t{number}", {0: [1]}, {})
    for number in range(99):
        here.tool.create(f"/admin/delete_topics/t{number}", b"")
    slowly(here.broker, steps=1)
    here.hear()
    assert 1 < len(here.topics) < 100
    here.tool.create("/admin/delete_topics/t99", b"")
    here.tool.create("/brokers/topics/dogs", MADE)
    here.hear()
    assert "dogs" in here.topics
    turns = 0
    while here.timers.next:
        here.timers.next.pop(0)()
        here.hear()
        turns += 1
    assert turns > 2
    assert here.topics == here.tool.children("/brokers/topics") == ["dogs"]
    assert here.tool.children("/admin/delete_topics") == []


def test_a_deletion_that_fails_is_tried_again_and_the_topic_not_taken_up(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.broker.topics.create("dogs", {0: [1]}, {})

    def fails(topics: Sequence[str], failed: dict[str, KafkaError]) -> Iterator[None]:
        failed.update(dict.fromkeys(topics, StorageError("read-only")))
        return iter(())

    monkeypatch.setattr(here.broker.topics.deletions._hosting, "drop_in_steps", fails)
    here.tool.create("/admin/delete_topics/dogs", b"")
    here.hear()
    assert here.topics == []
    here.timers.advance(2)
    here.hear()
    assert here.topics == here.tool.children("/brokers/topics") == []
    assert here.tool.children("/admin/delete_topics") == []


def test_where_topics_are_not_deleted_the_mark_goes() -> None:
    here = Here({"delete.topic.enable": "false"})
    here.broker.topics.create("dogs", {0: [1]}, {})
    here.tool.create("/admin/delete_topics/dogs", b"")
    here.hear()
    assert here.topics == ["dogs"]
    assert here.tool.children("/admin/delete_topics") == []


def test_a_deletion_that_broke_off_is_ended_and_the_topic_not_taken_up_again(here: Here) -> None:
    # What a broker leaves that lost touch with ZooKeeper while it deleted.
    here.tool.create("/admin/delete_topics/dogs", b"")
    here.tool.create("/brokers/topics/dogs", MADE)
    here.hear()
    assert here.topics == []
    assert here.tool.children("/brokers/topics") == []


def test_without_zookeeper_it_is_tried_again(here: Here) -> None:
    here.tool.create("/brokers/topics/dogs", MADE)
    here.session.reachable = False
    here.hear()
    assert here.topics == []
    here.session.reachable = True
    here.timers.advance(2)
    assert here.topics == ["dogs"]
    here.requests.stop()
    here.tool.create("/brokers/topics/cats", MADE)
    here.hear()
    assert here.topics == ["dogs"]
