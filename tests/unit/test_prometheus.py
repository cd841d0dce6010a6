"""Metrics of clients, as prometheus_client serves them."""

import asyncio
import gc
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from barnabas import Admin, Consumer, KafkaError, Producer, Resource, aio
from barnabas.prometheus import ClientCollector
from barnabas.testing import EmbeddedBroker

ROOT = Path(__file__).parents[2]
Samples = dict[tuple[str, ...], float]


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker() as broker:
        yield broker.bootstrap_servers


@pytest.fixture
def collector() -> ClientCollector:
    return ClientCollector()


def scraped(collector: ClientCollector) -> dict[str, Samples]:
    """All samples, by name and then by the values of their labels, in the order of the labels' names."""
    registry = CollectorRegistry()
    registry.register(collector)
    found: dict[str, Samples] = {}
    for family in text_string_to_metric_families(generate_latest(registry).decode()):
        for sample in family.samples:
            values = tuple(value for _, value in sorted(sample.labels.items()))
            assert values not in found.setdefault(sample.name, {}), "one sample twice"
            found[sample.name][values] = sample.value
    return found


def test_a_producer_and_a_consumer(servers: str, collector: ClientCollector) -> None:
    properties = {"group.id": "readers", "auto.offset.reset": "earliest", "client.id": "reader"}
    with (
        Producer(bootstrap_servers=servers, client_id="shop") as producer,
        Consumer(properties, bootstrap_servers=servers) as consumer,
    ):
        collector.add(producer)
        collector.add(consumer)
        for _ in range(10):
            producer.send("sold", b"apple").result(20)
        consumer.subscribe(["sold"])
        assert len(consumer.poll(20, 3)) == 3
        found = scraped(collector)
    assert found["kafka_producer_record_send_total"] == {("shop",): 10}
    assert found["kafka_producer_record_error_total"] == {("shop",): 0}
    assert found["kafka_producer_connection_count"] == {("shop",): 1}
    requests = found["kafka_producer_request_total"]["shop",]
    assert found["kafka_producer_response_total"]["shop",] == requests >= 12
    assert found["kafka_producer_outgoing_byte_total"]["shop",] > 10 * 60
    assert found["kafka_producer_incoming_byte_total"]["shop",] > 10 * 40
    assert found["kafka_producer_request_latency_avg"]["shop",] > 0
    assert found["kafka_consumer_fetch_manager_records_consumed_total"] == {("reader",): 3}
    assert found["kafka_consumer_fetch_manager_records_lag"] == {("reader", "0", "sold"): 7}
    assert found["kafka_consumer_fetch_manager_records_lag_max"] == {("reader",): 7}


def test_records_that_were_not_stored_are_counted(servers: str, collector: ClientCollector) -> None:
    with Producer(bootstrap_servers=servers, compression_type="none") as producer:
        collector.add(producer)
        producer.send("refused", b"small").result(20)
        with Admin(bootstrap_servers=servers) as admin:
            admin.alter_configs(Resource.TOPIC, "refused", {"max.message.bytes": "1000"})
        with pytest.raises(KafkaError):
            producer.send("refused", b"x" * 5000).result(20)
        found = scraped(collector)
    assert found["kafka_producer_record_error_total"] == {("barnabas",): 1}
    assert found["kafka_producer_record_send_total"] == {("barnabas",): 1}


def test_clients_of_asyncio_and_admins(servers: str, collector: ClientCollector) -> None:
    async def main() -> dict[str, Samples]:
        async with (
            aio.Admin(bootstrap_servers=servers) as admin,
            aio.Producer(bootstrap_servers=servers, client_id="a") as producer,
            aio.Consumer(bootstrap_servers=servers, client_id="b") as consumer,
        ):
            for client in (admin, producer, consumer):
                collector.add(client)
            await admin.list_topics()
            return await asyncio.to_thread(scraped, collector)

    found = asyncio.run(main())
    assert found["kafka_admin_client_request_total"] == {("barnabas",): 1}
    assert found["kafka_producer_record_send_total"] == {("a",): 0}
    assert found["kafka_consumer_fetch_manager_records_lag_max"] == {("b",): 0}
    with Admin(bootstrap_servers=servers) as admin:
        admin.list_topics()
        assert scraped(ClientCollector([admin]))["kafka_admin_client_connection_count"]["barnabas",]


def test_clients_of_one_name_are_one_series_that_never_goes_back(
    servers: str, collector: ClientCollector
) -> None:
    def sent(producer: Producer, count: int) -> None:
        collector.add(producer)
        for _ in range(count):
            producer.send("shared", b"record").result(20)

    with Producer(bootstrap_servers=servers) as first, Producer(bootstrap_servers=servers) as other:
        sent(first, 2)
        sent(other, 3)
        assert scraped(collector)["kafka_producer_record_send_total"] == {("barnabas",): 5}
    del first
    gc.collect()
    assert scraped(collector)["kafka_producer_record_send_total"] == {("barnabas",): 5}
    del other
    gc.collect()
    assert "kafka_producer_record_send_total" not in scraped(collector), "nothing is left of them"
    assert not collector._clients
    assert not collector._last
    assert not collector._gone


def test_what_is_no_client_is_refused(collector: ClientCollector) -> None:
    with pytest.raises(TypeError, match="a Producer, Consumer or Admin is added, not str"):
        collector.add("localhost:9092")  # type: ignore[arg-type]


def test_the_program_of_the_documentation(servers: str) -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    program = page.partition("```python\n")[2].partition("```")[0]
    assert "localhost:9092" in program
    assert "9405" in program
    program = program.replace("localhost:9092", servers).replace("9405", "0")
    program += "print(prometheus_client.generate_latest().decode())"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert 'kafka_producer_record_send_total{clientId="shop"} 1.0' in ended.stdout


def test_without_the_package_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['prometheus_client'] = None; import barnabas.prometheus"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "pip install 'barnabas[metrics]'" in ended.stderr
    assert ended.returncode == 1


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="needs promtool (Debian: apt-get install prometheus)"
)
def test_promtool_finds_nothing_but_the_names_that_kafka_has(
    servers: str, collector: ClientCollector
) -> None:
    registry = CollectorRegistry()
    registry.register(collector)
    with Producer(bootstrap_servers=servers) as producer:
        collector.add(producer)
        page = generate_latest(registry)
    command = ["promtool", "check", "metrics"]
    checked = subprocess.run(command, input=page, capture_output=True, check=False)
    lines = checked.stderr.decode().splitlines()
    assert lines
    remarks = (
        'non-histogram and non-summary metrics should not have "_count" suffix',
        "'camelCase'",
    )
    assert all(any(each in line for each in remarks) for line in lines), lines
