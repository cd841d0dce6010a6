"""What Prometheus gets from a broker: read by its own parser, under the names of Kafka's dashboards."""

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from barnabas import Admin, BrokerError, Consumer, KafkaError, Producer
from barnabas.broker.broker import Broker
from barnabas.broker.metrics import metrics_server
from barnabas.broker.metrics.families import COUNTER, FAMILIES, QUANTILES, SUMMARY
from barnabas.broker.metrics.topic_counts import NO_TOPIC
from barnabas.broker.server.node import Node
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.errors import ConfigError, ConnectionFailed
from barnabas.prometheus import ClientCollector
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from tests.unit.broker.raw_client import RawClient

ROOT = Path(__file__).parents[4]
DASHBOARD = ROOT / "docs" / "grafana-dashboard.json"
Samples = dict[tuple[str, ...], float]
with_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="needs promtool (Debian: apt-get install prometheus)"
)


def promtool(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run Prometheus' own checker."""
    command = ["promtool", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


class Running:
    """A broker with metrics, on a thread."""

    def __init__(self, node: Node, servers: str) -> None:
        self.node, self.servers = node, servers
        self.url = f"http://127.0.0.1:{node.metrics_port}/metrics"

    def scrape(self) -> dict[str, Samples]:
        """All samples, by name and then by the values of their labels, in the order of the labels' names."""
        with urllib.request.urlopen(self.url, timeout=30) as response:
            text = response.read().decode()
        found: dict[str, Samples] = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                values = tuple(value for _, value in sorted(sample.labels.items()))
                assert values not in found.setdefault(sample.name, {}), "one sample twice"
                found[sample.name][values] = sample.value
        return found


@contextmanager
def running(directory: Path) -> Iterator[Running]:
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": str(directory),
        "offsets.topic.num.partitions": 1,
    }
    node = Node(BrokerConfig.load(config), metrics=("127.0.0.1", 0))
    started = threading.Event()
    addresses: list[Endpoint] = []

    def on_started(bound: dict[str, Endpoint]) -> None:
        addresses.extend(bound.values())
        started.set()

    thread = threading.Thread(target=node.run, args=(on_started,))
    thread.start()
    try:
        assert started.wait(30)
        yield Running(node, f"127.0.0.1:{addresses[0].port}")
    finally:
        node.stop()
        thread.join()


def test_a_scrape_counts_what_clients_did(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 2, {})
        with (
            Producer(bootstrap_servers=broker.servers) as producer,
            Consumer(bootstrap_servers=broker.servers, group_id="pack") as consumer,
        ):
            for number in range(10):
                producer.send("dogs", f"dog {number}", partition=0).result()
            consumer.assign([("dogs", 0)])
            consumer.seek_to_beginning()
            records = 0
            while records < 10:
                records += len(consumer.poll(timeout_s=10))
            consumer.commit({("dogs", 0): 4})
            found = broker.scrape()
        requests = found["kafka_network_requestmetrics_requests_total"]
        assert requests["Produce",] == 10
        assert requests["Fetch",] >= 1
        assert requests["OffsetCommit",] == 1
        topics = found["kafka_server_brokertopicmetrics_messagesin_total"]
        assert topics["dogs",] == 10
        assert found["kafka_server_brokertopicmetrics_bytesin_total"]["dogs",] > 600
        for name in ("messagesin", "bytesin", "bytesout", "totalproducerequests"):
            by_topic = found[f"kafka_server_brokertopicmetrics_{name}_total"]
            assert by_topic["dogs",] <= by_topic["",], name
        bytes_in = found["kafka_server_brokertopicmetrics_bytesin_total"]["dogs",]
        assert found["kafka_server_brokertopicmetrics_bytesout_total"]["dogs",] == bytes_in
        assert found["kafka_server_brokertopicmetrics_totalproducerequests_total"]["dogs",] == 10
        assert found["kafka_server_brokertopicmetrics_totalfetchrequests_total"]["dogs",] >= 1
        assert found["kafka_server_socket_server_metrics_connection_count"]["PLAINTEXT",] >= 2
        assert found["kafka_log_log_logendoffset"]["0", "dogs"] == 10
        assert found["kafka_log_log_size"]["1", "dogs"] == 0
        assert found["kafka_consumergroup_current_offset"]["pack", "0", "dogs"] == 4
        assert found["kafka_consumergroup_lag"]["pack", "0", "dogs"] == 6
        assert found["kafka_consumergroup_lag_sum"]["pack",] == 6
        timed = found["kafka_network_requestmetrics_localtimems_count"]
        assert timed["OffsetCommit",] == 1
        assert found["kafka_network_requestmetrics_localtimems_sum"]["OffsetCommit",] > 0
        assert found["process_cpu_seconds_total"][()] > 0
        times = found["kafka_network_requestmetrics_totaltimems"]
        for request in ("Produce", "Fetch", "OffsetCommit"):
            rising = [times[quantile, request] for quantile in QUANTILES]
            assert rising == sorted(rising)
            assert rising[0] > 0
        assert found["kafka_network_requestmetrics_totaltimems_count"]["Produce",] == 10


def test_a_scrape_says_what_partitions_there_are(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 2, {})
        with Producer(bootstrap_servers=broker.servers) as producer:
            for number in range(10):
                producer.send("dogs", f"dog {number}", partition=0).result()
        found = broker.scrape()
        assert found["kafka_topic_partition_replicas"]["0", "dogs"] == 1
        assert found["kafka_topic_partition_in_sync_replica"]["0", "dogs"] == 1
        assert found["kafka_topic_partition_leader_is_preferred"]["0", "dogs"] == 1
        assert found["kafka_cluster_partition_atminisr"]["0", "dogs"] == 1
        assert found["kafka_cluster_partition_underminisr"]["0", "dogs"] == 0
        assert found["kafka_controller_kafkacontroller_offlinepartitionscount"][()] == 0
        assert found["kafka_server_replicamanager_partitioncount"][()] == 2
        assert found["kafka_server_replicamanager_leadercount"][()] == 2
        assert found["kafka_server_replicamanager_underreplicatedpartitions"][()] == 0
        assert found["kafka_topic_partition_current_offset"]["0", "dogs"] == 10
        assert found["kafka_topic_partition_oldest_offset"]["0", "dogs"] == 0
        assert found["kafka_topic_partitions"]["dogs",] == 2
        assert found["kafka_controller_kafkacontroller_activecontrollercount"][()] == 1


def test_a_request_takes_as_long_as_it_waits(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 1, {})
        options = {"fetch.max.wait.ms": 300, "fetch.min.bytes": 1000}
        with Consumer(bootstrap_servers=broker.servers, **options) as consumer:
            consumer.assign([("dogs", 0)])
            consumer.seek_to_beginning()
            assert consumer.poll(timeout_s=1) == []
            found = broker.scrape()
        assert found["kafka_network_requestmetrics_totaltimems"]["0.50", "Fetch"] >= 280
        timed = found["kafka_network_requestmetrics_localtimems_sum"]["Fetch",]
        assert timed < 280 * found["kafka_network_requestmetrics_localtimems_count"]["Fetch",]


def test_requests_that_fail_are_counted_for_their_topics(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 1, {"max.message.bytes": "100"})
        with Producer(bootstrap_servers=broker.servers) as producer:
            sent = producer.send("dogs", "b" * 1000)
            with pytest.raises(BrokerError, match="MESSAGE_TOO_LARGE"):
                sent.result()
        with Consumer(bootstrap_servers=broker.servers, auto_offset_reset="none") as consumer:
            consumer.assign([("dogs", 0)])
            consumer.seek(("dogs", 0), 7)
            with pytest.raises(KafkaError, match="OFFSET_OUT_OF_RANGE|offset 7"):
                consumer.poll(timeout_s=10)
        topics = "kafka_server_brokertopicmetrics"
        found = broker.scrape()
        for name in ("failedproducerequests", "failedfetchrequests"):
            assert found[f"{topics}_{name}_total"]["dogs",] == 1, name
            assert found[f"{topics}_{name}_total"]["",] == 1, name


def test_counters_of_all_topics_keep_what_deleted_ones_had(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        with Producer(bootstrap_servers=broker.servers) as producer:
            for topic in ("cats", "dogs"):
                producer.send(topic, "speaks").result()
        with Admin(bootstrap_servers=broker.servers) as admin:
            names = ("messagesin", "bytesin", "totalproducerequests")
            before = broker.scrape()
            admin.delete_topics(["cats"])
            after = broker.scrape()
        for name in (f"kafka_server_brokertopicmetrics_{one}_total" for one in names):
            assert ("cats",) in before[name]
            assert ("cats",) not in after[name]
            assert after[name]["",] == before[name]["",]


def test_names_that_are_no_topics_take_no_memory(tmp_path: Path) -> None:
    """A client can name any number of them."""
    with running(tmp_path) as broker:
        with RawClient(int(broker.servers.rpartition(":")[2])) as client:
            for number in range(50):
                asked = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1)
                topic = FetchTopic(topic=f"none-{number}", partitions=[asked])
                fetch = FetchRequest(max_wait_ms=0, min_bytes=0, topics=[topic])
                client.ask(fetch, 4, FetchResponse)
        metrics = broker.node._metrics
        assert metrics is not None
        assert [*metrics._counts.topics.fetched] == [NO_TOPIC]
        found = broker.scrape()["kafka_server_brokertopicmetrics_failedfetchrequests_total"]
        assert found == {("",): 50}


def test_what_the_logs_had_at_the_start_is_not_counted(tmp_path: Path) -> None:
    for end in (1, 2):
        with running(tmp_path) as broker:
            with Producer(bootstrap_servers=broker.servers) as producer:
                producer.send("dogs", "barks").result()
            found = broker.scrape()
            assert found["kafka_server_brokertopicmetrics_messagesin_total"]["dogs",] == 1
            assert found["kafka_log_log_logendoffset"]["0", "dogs"] == end


def test_a_group_whose_consumers_are_gone_has_its_lag_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        with (
            Producer(bootstrap_servers=broker.servers) as producer,
            Consumer(bootstrap_servers=broker.servers, group_id="pack") as consumer,
        ):
            for number in range(3):
                producer.send("dogs", f"dog {number}", partition=0).result()
            consumer.assign([("dogs", 0)])
            consumer.commit({("dogs", 0): 1})
        before = broker.scrape()["kafka_consumergroup_lag"]
        assert before == {("pack", "0", "dogs"): 2}
    with running(tmp_path) as broker:
        assert broker.scrape()["kafka_consumergroup_lag"] == before


def test_thousands_of_partitions_are_read_in_steps(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 1000, {})
        assert len(broker.scrape()["kafka_log_log_size"]) == 1000
        metrics = broker.node._metrics
        assert metrics is not None
        read = metrics._reader.read

        def count_steps(of: Broker) -> Generator[None, None, int]:
            steps = 0
            for _ in read(of):
                steps += 1
                yield
            return steps

        assert broker.node.call_in_steps(count_steps) >= 4


def test_a_scraper_that_reads_nothing_holds_up_nobody(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 2000, {})
        port = broker.node.metrics_port
        assert port is not None
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")
            with Producer(bootstrap_servers=broker.servers) as producer:
                producer.send("dogs", "barks").result()
            assert broker.scrape()["kafka_server_kafkaserver_brokerstate"][()] == 3


def test_a_port_that_is_taken_is_refused_before_the_broker_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = BrokerConfig.load(
            {"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": str(tmp_path / "logs")}
        )
        node = Node(config, metrics=("127.0.0.1", port))
        with pytest.raises(ConnectionFailed, match=f"{port} for metrics.*another --metrics-port"):
            node.run(lambda _addresses: pytest.fail("it has started"))
    assert not (tmp_path / "logs").exists()


def test_without_the_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(ConfigError, match=r"pip install 'barnabas\[metrics\]'"):
        metrics_server.check_installed()


def test_the_dashboard_and_the_page_have_names_that_there_are() -> None:
    known = set()
    for name, kind, _labels, _text in FAMILIES:
        known |= {f"{name}_count", f"{name}_sum", name} if kind == SUMMARY else set()
        known.add(f"{name}_total" if kind == COUNTER else name)
    of_clients = {
        f"{each.name}_total" if each.type == COUNTER else each.name
        for each in ClientCollector().describe()
    }
    known |= of_clients
    pattern = re.compile(r"\b(?:kafka|barnabas_metrics)_\w+")
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    asked = " ".join(
        target["expr"] for panel in board["panels"] for target in panel.get("targets", ())
    )
    used = set(pattern.findall(asked))
    assert used
    assert used <= known
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert (
        set(re.findall(r"^\| `(\w+)`", page, re.MULTILINE))
        == {f"{name}_total" if kind == COUNTER else name for name, kind, _labels, _text in FAMILIES}
        | of_clients
    )


@with_promtool
def test_prometheus_own_check_remarks_only_on_names_of_others(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        with (
            Producer(bootstrap_servers=broker.servers) as producer,
            Consumer(bootstrap_servers=broker.servers, group_id="pack") as consumer,
        ):
            producer.send("dogs", "barks").result()
            consumer.commit({("dogs", 0): 1})
        with urllib.request.urlopen(broker.url, timeout=30) as response:
            text = response.read().decode()
    checked = promtool("check", "metrics", given=text)
    # Names of the JMX exporter's and of kafka_exporter, which dashboards ask for.
    remarks = [line.split()[0] for line in checked.stderr.splitlines()]
    assert remarks == [
        "kafka_consumergroup_lag_sum",
        "kafka_server_socket_server_metrics_connection_count",
    ]
    assert checked.returncode == 3, "there are remarks; 1: it cannot be parsed"


@with_promtool
def test_prometheus_parses_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "1m")}
        for number, query in enumerate(queries)
    ]
    file = tmp_path / "rules.json"  # JSON is YAML.
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    checked = promtool("check", "rules", str(file))
    assert checked.returncode == 0, checked.stderr
    assert f"{len(queries)} rules found" in checked.stdout


def test_connections_that_say_nothing_take_no_thread_each(tmp_path: Path) -> None:
    with running(tmp_path) as broker, ExitStack() as silent:
        port = broker.node.metrics_port
        assert port is not None
        before = threading.active_count()  # Other tests may have left some in this process.
        first, *_ = [
            silent.enter_context(socket.create_connection(("127.0.0.1", port), 30))
            for _ in range(60)
        ]
        assert first.recv(1) == b"", "the oldest was ended"
        assert broker.scrape()
        deadline = time.monotonic() + 30
        while (
            threading.active_count() > before + 11
        ):  # Those of ended connections end a moment later.
            assert time.monotonic() < deadline, threading.enumerate()
            time.sleep(0.01)


def test_a_group_with_a_long_name_has_no_rows(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 1, {})
        for group in ("pack", "p" * 256):
            with Consumer(bootstrap_servers=broker.servers, group_id=group) as consumer:
                consumer.commit({("dogs", 0): 4})
        found = broker.scrape()
        assert list(found["kafka_consumergroup_current_offset"]) == [("pack", "0", "dogs")]
        assert list(found["kafka_consumergroup_lag"]) == [("pack", "0", "dogs")]


def test_groups_beyond_the_rows_are_passed_over_in_steps(tmp_path: Path) -> None:
    """Those with long names, and all behind the last row, were looked at in one step."""
    with running(tmp_path) as broker:
        broker.node.create_topic("dogs", 1, {})
        with Consumer(bootstrap_servers=broker.servers, group_id="pack") as consumer:
            consumer.commit({("dogs", 0): 4})
        metrics = broker.node._metrics
        assert metrics is not None
        read = metrics._reader.read
        names = [f"{number:0300}" for number in range(1_000)]

        def count_steps(of: Broker) -> Generator[None, None, int]:
            (held,) = of.groups.loaded()
            groups = held.shard.offsets._groups
            groups.update(dict.fromkeys(names, groups["pack"]))
            steps = 0
            for _ in read(of):
                steps += 1
                yield
            for name in names:
                del groups[name]
            return steps

        assert broker.node.call_in_steps(count_steps) >= 6
