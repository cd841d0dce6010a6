"""StartConfigs: properties of logs while a broker opens them."""

from typing import cast

import pytest

from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.topics.start_configs import StartConfigs
from barnabas.config.broker import BrokerConfig
from barnabas.ports import Registry
from sim.world.zookeeper import SimulatedZooKeeper


def test_properties_that_cannot_be_read_keep_no_other_log_from_being_opened(
    caplog: pytest.LogCaptureFixture,
) -> None:
    session = SimulatedZooKeeper().session()
    for name in ("dogs", "cats"):
        session.set(f"/brokers/topics/{name}", b'{"version":1,"partitions":{"0":[1]}}')
    session.set("/config/topics/dogs", b"{")
    session.set("/config/topics/cats", b'{"version":1,"config":{"segment.bytes":"4711"}}')
    registry = cast("Registry", session)
    configs = StartConfigs(lambda: registry, BrokerSettings(BrokerConfig()))
    for _ in range(2):
        assert not configs.config_of("dogs").deletes
    assert configs.config_of("cats").segment_bytes == 4711
    (error,) = caplog.records
    assert vars(error)["topic"] == "dogs"
