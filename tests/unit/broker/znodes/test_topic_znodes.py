"""Properties of topics that another session deletes or changes while they are written."""

import json
from collections.abc import Mapping, Sequence

import pytest

from barnabas.broker.znodes.config_changes import decode_change
from barnabas.broker.znodes.config_znodes import decode_config
from barnabas.broker.znodes.topic_znodes import (
    CONFIGS,
    TOPICS,
    decode_topic,
    is_of,
    write_configs,
    write_new,
)
from barnabas.errors import StorageError
from barnabas.types import NodeWrite, Topic
from sim.world.zookeeper import SimulatedZooKeeper

SIZE = {"max.message.bytes": "5"}


class Quicker:
    """A session before whose writes somebody else does something; `times` counts down."""

    def __init__(self, what: str, times: int = 1) -> None:
        self.session = SimulatedZooKeeper().session()
        self._what, self.times = what, times
        self.get_all = self.session.get_all
        write_new(self.session, [Topic(name, bytes(16), {0: [1]}, {}) for name in ("cats", "dogs")])

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        if self.times:
            self.times -= 1
            path = f"{CONFIGS}/dogs"
            if self._what == "deletes":
                self.session.delete(f"{TOPICS}/dogs", path)
            elif self.session.get(path) is None:
                self.session.set(path, b"{}")
            else:
                self.session.delete(path)
        self.session.commit(writes, checks)

    def written(self, name: str) -> object:
        node = self.session.get(f"{CONFIGS}/{name}")
        return json.loads(node[0])["config"] if node is not None else None


def test_a_topic_that_is_deleted_meanwhile_leaves_no_properties_behind() -> None:
    registry = Quicker("deletes")
    assert write_configs(registry, {"dogs": SIZE, "cats": SIZE}) == {"dogs"}
    assert (registry.written("dogs"), registry.written("cats")) == (None, SIZE)


def test_what_others_change_meanwhile_is_written_over() -> None:
    registry = Quicker("changes", times=3)
    assert write_configs(registry, {"dogs": SIZE, "cats": {}}) == set()
    assert (registry.written("dogs"), registry.written("cats")) == (SIZE, {})


def test_it_does_not_go_on_for_ever() -> None:
    registry = Quicker("changes", times=1000)
    with pytest.raises(StorageError, match="others change"):
        write_configs(registry, {"dogs": SIZE})


def test_no_topic_is_no_write() -> None:
    registry = Quicker("deletes", times=0)
    assert write_configs(registry, {"birds": SIZE}) == {"birds"}
    assert registry.written("birds") is None


def test_nodes_that_are_nested_too_deep_are_damaged_ones() -> None:
    deep = b"[" * 100_000
    with pytest.raises(StorageError, match="node of topic dogs cannot be read"):
        decode_topic("dogs", deep, {})
    with pytest.raises(StorageError, match="properties at /config/topics/dogs cannot be read"):
        decode_config(deep, "/config/topics/dogs")
    with pytest.raises(StorageError):
        decode_change(deep, "config_change_0000000001")
    assert is_of(b"d" * 16, deep), "what cannot be read does not speak against a log"
