"""What clients of Kafka 0.7 find of a broker: a topic that is there keeps its count."""

from pathlib import Path
from typing import cast

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.requests.topics07 import to_read
from barnabas.broker.zookeeper.registration07 import Registration07
from barnabas.config.listeners import advertised, listeners
from barnabas.errors import ConfigError, ErrorCode
from barnabas.log.segments.log_config import MAGIC_07, LogConfig
from barnabas.runtime.files.disk import RealDisk
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.unit.broker.in_memory import Led, Replicas, a_broker
from tests.unit.runtime.manual_timers import ManualTimers

CONFIG = {
    "listener.dialect.map": "PLAINTEXT:kafka-0.7",
    "num.partitions": "3",
    "topic.partition.count.map": "wide:4",
}


def registered(topic: str, there: int, session: SimulatedSession, directory: Path) -> Broker:
    """A broker that has registered a topic of 0.7 with so many partitions."""
    broker = a_broker(CONFIG, timers=ManualTimers())
    led = Led()
    led.log.config = LogConfig(magic=MAGIC_07)
    cast("Replicas", broker.replicas)[topic, 0] = led
    broker.topics.create(topic, {index: [1] for index in range(there)}, {})
    Registration07(session, broker).start(RealDisk(), str(directory / "registered"))
    return broker


def reported(session: SimulatedSession, topic: str) -> bytes:
    node = session.get(f"/brokers/topics/{topic}/1")
    assert node is not None
    return node[0]


@pytest.mark.parametrize(("topic", "there"), [("a", 1), ("wide", 2), ("b", 5)])
def test_as_many_partitions_are_registered_as_can_be_used(
    topic: str, there: int, tmp_path: Path
) -> None:
    session = SimulatedZooKeeper().session()
    broker = registered(topic, there, session, tmp_path)
    assert reported(session, topic) == b"%d" % there
    assert not isinstance(to_read(broker, topic, there - 1), ErrorCode)
    assert to_read(broker, topic, there) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_partitions_that_are_added_reach_watchers_of_the_topic(tmp_path: Path) -> None:
    keeper = SimulatedZooKeeper()
    session, reader = keeper.session(), keeper.session(lambda call: call())
    broker = registered("dogs", 1, session, tmp_path)
    seen: list[str] = []
    reader.watch("/brokers/topics/dogs", lambda: seen.append("dogs"))
    broker.topics.add_partitions("dogs", {index: [1] for index in range(1, 6)})
    cast("ManualTimers", broker.timers).advance(0)
    assert seen
    assert reported(session, "dogs") == b"6"


OLD_AND_PROPOSAL = {
    "listeners": "NEW://127.0.0.1:9095,OLD://127.0.0.1:9093,PLAINTEXT://127.0.0.1:9092",
    "listener.dialect.map": "NEW:proposal,OLD:kafka-0.7",
}


def test_the_place_is_that_of_the_listener_that_speaks_07(tmp_path: Path) -> None:
    session = SimulatedZooKeeper().session()
    broker = a_broker(OLD_AND_PROPOSAL, timers=ManualTimers())
    broker.advertised = advertised(broker.config, listeners(broker.config))
    Registration07(session, broker).start(RealDisk(), str(tmp_path / "registered"))
    node = session.get("/brokers/ids/1")
    assert node is not None
    assert node[0].endswith(b":127.0.0.1:9093")


def test_the_proposal_alone_has_no_place(tmp_path: Path) -> None:
    session = SimulatedZooKeeper().session()
    reported = {"listeners": "NEW://127.0.0.1:9095", "listener.dialect.map": "NEW:proposal"}
    broker = a_broker(reported, timers=ManualTimers())
    broker.advertised = advertised(broker.config, listeners(broker.config))
    with pytest.raises(ConfigError, match="no listener is for clients of Kafka 0.7"):
        Registration07(session, broker).start(RealDisk(), str(tmp_path / "registered"))
    assert session.get("/brokers/ids/1") is None
