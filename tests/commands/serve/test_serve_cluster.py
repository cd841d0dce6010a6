"""`barnabas serve --brokers 3`: a cluster in one process, from the command line."""

import json
import signal
import urllib.request
from pathlib import Path

import pytest

from tests.commands.served import run, serving


def test_three_brokers_serve_one_cluster_and_keep_their_data(tmp_path: Path) -> None:
    options = ("--brokers", "3", "--data-dir", str(tmp_path))
    with serving(*options) as cluster:
        assert len(cluster.servers.split(",")) == 3
        assert cluster.run("produce", "dogs", stdin="rex\n").code == 0
        described = cluster.run("topics", "describe", "dogs", "--json")
        (partition,) = json.loads(described.out)["partitions"]
        assert sorted(partition["replicas"]) == sorted(partition["in_sync"]) == [1, 2, 3]
    assert cluster.process.returncode == 0
    with serving(*options) as cluster:
        assert cluster.run("consume", "dogs", "--from-beginning", "-e").lines == ["rex"]
        cluster.process.send_signal(signal.SIGINT)
        assert cluster.process.wait(30) == 0


@pytest.mark.parametrize(
    "pair",
    ["node.id=7", "log.dirs=/nowhere", "listeners=PLAINTEXT://:9092", "zookeeper.connect=a:1"],
)
def test_what_each_broker_has_of_its_own_is_refused(tmp_path: Path, pair: str) -> None:
    name = pair.partition("=")[0]
    refused = run("serve", "--brokers", "2", "--data-dir", str(tmp_path), "--set", pair)
    assert refused.code == 2
    assert f"{name}: not together with --brokers" in refused.err


def test_a_second_cluster_on_the_same_data_is_refused(tmp_path: Path) -> None:
    options = ("--brokers", "2", "--data-dir", str(tmp_path))
    with serving(*options):
        second = run("serve", "--port", "0", *options)
    assert second.code == 1
    assert str(tmp_path) in second.err
    assert "Traceback" not in second.err


def test_a_cluster_has_metrics_of_each_broker_and_one_console() -> None:
    options = ("--brokers", "2", "--ephemeral", "--metrics-port", "0", "--console-port", "0")
    with serving(*options) as cluster:
        assert [*cluster.announced["metrics"]] == ["1", "2"]
        for url in cluster.announced["metrics"].values():
            with urllib.request.urlopen(url, timeout=30) as response:
                assert "kafka_server_kafkaserver_brokerstate 3.0" in response.read().decode()
        assert cluster.process.stderr is not None
        assert cluster.announced["console"] in cluster.process.stderr.readline()
        with urllib.request.urlopen(f"{cluster.announced['console']}brokers", timeout=30) as page:
            text = page.read().decode()
        for place in cluster.servers.split(","):
            assert place in text
    assert cluster.process.returncode == 0
