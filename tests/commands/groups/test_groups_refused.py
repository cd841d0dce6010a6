"""Groups that a broker has and does not serve, or cannot delete at once: what is printed about them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Admin, NewTopic
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.commands.served import run
from tests.lasting_members import LASTING_MEMBERS
from tests.unit.broker.raw_client import RawClient

UNSERVED = (
    "it is a consumer group, which its broker does not serve: "
    "is consumer in its group.coordinator.rebalance.protocols?"
)
JOINED, LEFT = 0, -1


def beat(client: RawClient, group: str, epoch: int) -> None:
    given = ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id="m",
        member_epoch=epoch,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["dogs"],
        topic_partitions=[],
    )
    assert not client.ask(given, 1, ConsumerGroupHeartbeatResponse).error_code


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """With consumer groups from before it was configured to have none: `idle`, and `held` with a member."""
    data_dir: Path = tmp_path_factory.mktemp("data")
    with EmbeddedBroker(LASTING_MEMBERS, data_dir=data_dir) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("dogs", 1, 1)])
        with RawClient(broker.port) as client:
            for group, epochs in {"idle": (JOINED, LEFT), "held": (JOINED,)}.items():
                for epoch in epochs:
                    beat(client, group, epoch)
    printed = {"group.coordinator.rebalance.protocols": "classic"}
    with EmbeddedBroker(LASTING_MEMBERS | printed, data_dir=data_dir) as broker:
        yield broker.bootstrap_servers


def test_a_group_of_a_kind_that_is_not_served_is_there(servers: str) -> None:
    listed = [line.split("\t")[:3] for line in run("groups", "list", servers=servers).lines]
    assert listed == [["held", "consumer", "Stable"], ["idle", "consumer", "Empty"]]
    move = ("reset", "held", "-t", "dogs", "--to", "0", "--execute")
    for arguments in (("describe", "held"), ("describe", "idle"), move):
        printed = run("groups", *arguments, servers=servers)
        why = f"barnabas: UNSUPPORTED_VERSION: group {arguments[1]}: {UNSERVED}\n"
        assert (printed.code, printed.out, printed.err) == (1, "", why)
    printed = run("groups", "delete", "held", "-y", servers=servers)
    assert (printed.code, "NON_EMPTY_GROUP: " in printed.err, UNSERVED in printed.err) == (
        1,
        True,
        True,
    )
    printed = run("groups", "describe", "helt", servers=servers)
    assert (printed.code, "GROUP_ID_NOT_FOUND: " in printed.err) == (1, True)
    assert printed.err.endswith("; did you mean held?\n")


def test_one_without_members_is_moved_and_deleted_all_the_same(servers: str) -> None:
    moved = run("groups", "reset", "idle", "-t", "dogs", "--to", "0", "--execute", servers=servers)
    assert (moved.code, moved.lines, moved.err) == (0, ["dogs\t0\t\t0\t"], "")
    gone = run("groups", "delete", "idle", "-y", servers=servers)
    assert (gone.code, gone.lines, gone.err) == (0, ["idle"], "")


def test_what_is_too_much_for_one_batch_is_deleted_topic_by_topic() -> None:
    with EmbeddedBroker() as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        address = broker.bootstrap_servers
        topics = ("cats", "dogs")
        admin.create_topics([NewTopic(topic, 20, 1) for topic in topics])
        for topic in topics:
            admin.alter_group_offsets("many", {(topic, number): 1 for number in range(20)})
        limit = ("__consumer_offsets", "--set", "max.message.bytes=1000")
        assert run("configs", "topic", *limit, servers=address).code == 0
        refused = run("groups", "delete", "many", "-y", servers=address)
        assert (refused.code, refused.lines) == (1, [])
        assert "`barnabas groups delete-offsets` first, topic by topic" in refused.err
        for topic in topics:
            gone = run("groups", "delete-offsets", "many", "-t", topic, "-y", servers=address)
            assert gone.code == 0, gone.err
        assert run("groups", "list", servers=address).lines == []
