"""A broker on the real world that cannot start gives back what it had."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from barnabas.broker.server.node import Node
from barnabas.config.broker import BrokerConfig
from barnabas.errors import RegistryUnavailable
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.worker import ThreadWorker
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper


def test_a_broker_whose_second_zookeeper_is_away_keeps_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = SimulatedZooKeeper()

    def connect(place: str, **_options: object) -> SimulatedSession:
        if place == "away:2181":
            raise RegistryUnavailable(place)
        return keeper.session()

    zookeeper = SimpleNamespace(ZooKeeperRegistry=connect)
    monkeypatch.setitem(sys.modules, "barnabas.runtime.registries.zookeeper", zookeeper)
    closed: list[object] = []

    def close(one: object) -> None:
        closed.append(one)

    monkeypatch.setattr(RealDisk, "close", close)
    monkeypatch.setattr(ThreadWorker, "close", close)
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": str(tmp_path),
        "zookeeper.connect": "here:2181",
        "zk.connect": "away:2181",
    }
    node = Node(BrokerConfig.load(config))
    with pytest.raises(RegistryUnavailable, match="away"):
        node.run(lambda _addresses: pytest.fail("it has started"))
    assert keeper.sessions
    assert all(session.closed for session in keeper.sessions)
    assert closed == [node._worker, node._disk]
