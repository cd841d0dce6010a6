"""What a member of a cluster makes in ZooKeeper when it starts."""

from pathlib import Path

import pytest

from tests.local_cluster import LocalCluster

pytestmark = pytest.mark.kernels


def test_the_nodes_below_which_tools_make_others_are_there(tmp_path: Path) -> None:
    """Tools of before KIP-604 write to ZooKeeper, and some of them do not make the nodes above."""
    cluster = LocalCluster(tmp_path, 1)
    try:
        registry = cluster.controller.registry
        for path in (
            "/config/changes", "/isr_change_notification", "/log_dir_event_notification",
            "/admin/delete_topics", "/config/topics", "/config/brokers", "/consumers",
        ):  # fmt: skip
            assert registry.get(path) is not None, path
    finally:
        cluster.close()
