"""The versions of requests between brokers, by inter.broker.protocol.version."""

import pytest

from barnabas.broker.cluster.inter_broker import InterBrokerVersions, release_of, versions_of
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    ("protocol", "fetch", "alter_partition"),
    [
        ("0.11.0", 5, -1),
        ("0.11.0-IV2", 5, -1),
        ("1.1", 7, -1),
        ("2.6", 11, -1),
        ("2.7-IV0", 11, -1),
        ("2.7-IV1", 12, -1),
        ("2.7", 12, 0),
        ("2.8-IV1", 12, 0),
        ("3.2.1", 13, 1),
        ("3.5-IV0", 14, 1),
        ("3.9", 15, 1),
    ],
)
def test_each_release_and_step_has_its_versions(
    protocol: str, fetch: int, alter_partition: int
) -> None:
    found = versions_of(protocol)
    assert (found.fetch, found.alter_partition) == (fetch, alter_partition)
    assert found.truncates_in_fetch is (fetch >= 12)


def test_all_of_one_release() -> None:
    assert versions_of("2.8") == InterBrokerVersions(
        fetch=12,
        epoch_end=4,
        list_offsets=6,
        controlled_shutdown=3,
        alter_partition=0,
        strict_min_isr=-1,
        leader_and_isr=5,
        update_metadata=7,
        stop_replica=3,
        write_txn_markers=1,
        topic_ids=0,
        add_partitions_to_txn=-1,
        share_state=-1,
    )


@pytest.mark.parametrize(
    ("protocol", "release", "adding", "share_state"),
    [
        ("0.11.0-IV2", "0.11.0", -1, -1),
        ("3.5", "3.5", -1, -1),
        ("3.6", "3.6", 4, -1),
        ("3.9-IV0", "3.9", 5, -1),
        ("4.1", "4.1", 5, -1),
        ("4.3", "4.3", 5, 0),
        ("5.0", "4.3", 5, 0),
    ],
)
def test_what_came_after_zookeeper_begins_with_a_later_release(
    protocol: str, release: str, adding: int, share_state: int
) -> None:
    assert release_of(protocol) == release
    found = versions_of(protocol)
    assert (found.add_partitions_to_txn, found.share_state) == (adding, share_state)


@pytest.mark.parametrize(
    ("protocol", "leader_and_isr", "update_metadata", "stop_replica", "has_ids"),
    [
        ("0.11.0", 0, 3, 0, False),
        ("1.1", 1, 4, 0, False),
        ("2.3", 2, 5, 1, False),
        ("2.6", 4, 6, 3, False),
        ("2.8-IV0", 4, 6, 3, True),
        ("2.8", 5, 7, 3, True),
        ("3.2", 6, 7, 3, True),
        ("3.9", 7, 8, 4, True),
    ],
)
def test_what_a_controller_sends(
    protocol: str, leader_and_isr: int, update_metadata: int, stop_replica: int, *, has_ids: bool
) -> None:
    found = versions_of(protocol)
    versions = (found.leader_and_isr, found.update_metadata, found.stop_replica)
    assert versions == (leader_and_isr, update_metadata, stop_replica)
    assert (found.topic_ids >= 0) is has_ids


@pytest.mark.parametrize("protocol", ["0.10.2", "0.11.0-IV1", "latest", "2", ""])
def test_what_is_no_release_or_too_old_is_refused(protocol: str) -> None:
    with pytest.raises(ConfigError, match=r"inter\.broker\.protocol\.version="):
        versions_of(protocol)
