"""The loads on coordinators run to their end: each stops at the first answer that is not success."""

import shutil
from collections.abc import Iterator

import pytest

from barnabas import Admin, NewTopic
from barnabas.testing import EmbeddedBroker
from benchmarks.peers.asking import GROUPS, TRANSACTIONS, find_coordinator
from benchmarks.peers.load_generator import LoadFailed, run_load

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") or shutil.which("gcc")), reason="the load generator is in C"
)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with EmbeddedBroker({"group.initial.rebalance.delay.ms": "0"}) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("loaded", 3)])
        for kind in (GROUPS, TRANSACTIONS):
            find_coordinator(broker.port, kind)
        yield broker.port


def load(mode: str, port: int, **settings: int) -> dict[str, float]:
    return run_load(mode, port=port, topic="loaded", partitions=3, **settings)


def test_commits_of_many_groups(port: int) -> None:
    line = load("commits", port, connections=3, groups=7, requests=100)
    assert line["records"] == 100
    assert line["per_second"] > 0


def test_transactions_one_after_another(port: int) -> None:
    line = load("transactions", port, connections=3, records=4, value=10, requests=20)
    assert (line["requests"], line["records"]) == (20, 80)


def test_one_more_member_comes_and_goes(port: int) -> None:
    assert load("rebalances", port, members=4, requests=6)["p50_us"] > 0


@pytest.mark.parametrize("mode", ["idle", "idle-consumer", "idle-share"])
def test_members_that_only_send_heartbeats(mode: str, port: int) -> None:
    # Where the broker assigns it does so once a second at the most.
    line = load(mode, port, members=6, groups=2, wait=300, requests=30)
    assert line["requests"] == 30


def test_an_answer_that_is_an_error_is_reported(port: int) -> None:
    with pytest.raises(LoadFailed, match="error 3"):
        run_load("commits", port=port, topic="nowhere", requests=1)
