"""The reference client and Kafka's own command-line programs."""

import json
import re

import pytest
from confluent_kafka.admin import AdminClient

from tests.interop import samples
from tests.interop.brokers import InteropBroker, wait_for
from tests.interop.clients.confluent import Confluent
from tests.interop.peers.kafka_tools import ToolFailed, run_tool
from tests.interop.stored_log import stored_batches

pytestmark = [pytest.mark.interop, pytest.mark.java]


def test_the_verifiable_producer_is_acknowledged_in_order(broker: InteropBroker) -> None:
    topic = broker.new_topic()
    printed = run_tool(
        "VerifiableProducer", "--bootstrap-server", broker.bootstrap_servers, "--topic", topic,
        "--max-messages", "1000", "--acks", "-1",
    )  # fmt: skip
    events = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    sent = [event for event in events if event["name"] == "producer_send_success"]
    assert [event["offset"] for event in sent] == list(range(1000))
    read = Confluent().read(broker.bootstrap_servers, topic, 1000)
    assert [each.value for each in read] == [event["value"].encode() for event in sent]


@pytest.mark.parametrize("codec", samples.CODECS)
def test_the_performance_producer_with_every_codec(broker: InteropBroker, codec: str) -> None:
    topic = broker.new_topic()
    printed = run_tool(
        "ProducerPerformance", "--topic", topic, "--num-records", "5000", "--record-size", "100",
        "--throughput", "-1", "--bootstrap-server", broker.bootstrap_servers,
        "--command-property", f"compression.type={codec}", "acks=all",
    )  # fmt: skip
    assert "5000 records sent" in printed
    stored = stored_batches(broker.data_dir, topic)
    assert {batch.codec for batch in stored} == {samples.CODECS[codec]}
    assert sum(batch.count for batch in stored) == 5000
    # The Java producer is idempotent by default.
    assert all(batch.producer_id >= 0 for batch in stored)


@pytest.mark.parametrize("codec", samples.CODECS)
def test_the_console_consumer_reads_by_assignment(broker: InteropBroker, codec: str) -> None:
    topic = broker.new_topic()
    sent = [
        samples.Sample(b"k%d" % index, b"v%d" % index, samples.START_MS + index)
        for index in range(300)
    ]
    Confluent().write(broker.bootstrap_servers, topic, sent, codec=codec)
    printed = run_tool(
        "consumer.ConsoleConsumer", "--bootstrap-server", broker.bootstrap_servers,
        "--topic", topic, "--partition", "0", "--offset", "earliest", "--max-messages", "300",
        "--timeout-ms", "20000", "--formatter-property", "print.key=true",
        "--formatter-property", "print.timestamp=true",
        "--formatter-property", "print.offset=true",
    )  # fmt: skip
    expected = [
        f"CreateTime:{each.timestamp}\tOffset:{index}\tk{index}\tv{index}"
        for index, each in enumerate(sent)
    ]
    assert printed.splitlines() == expected


def test_topics_by_the_topic_command(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(partitions=2), broker.bootstrap_servers
    run_tool("TopicCommand", "--bootstrap-server", address, "--alter", "--topic", topic,
             "--partitions", "4")  # fmt: skip
    admin = AdminClient({"bootstrap.servers": address})
    wait_for(lambda: len(admin.list_topics(topic).topics[topic].partitions) == 4)
    described = run_tool(
        "TopicCommand", "--bootstrap-server", address, "--describe", "--topic", topic
    )
    assert "PartitionCount: 4" in described
    run_tool("TopicCommand", "--bootstrap-server", address, "--delete", "--topic", topic)
    wait_for(lambda: topic not in admin.list_topics().topics)
    listed = run_tool("TopicCommand", "--bootstrap-server", address, "--list")
    assert topic not in listed.split()
    with pytest.raises(ToolFailed, match="does not exist"):
        run_tool("TopicCommand", "--bootstrap-server", address, "--describe", "--topic", topic)


@pytest.mark.parametrize(
    ("time", "offset"),
    [("earliest", 0), ("latest", 100), ("max-timestamp", 99), (str(samples.START_MS + 7), 7)],
)
def test_offsets_by_the_offset_shell(broker: InteropBroker, time: str, offset: int) -> None:
    topic = broker.new_topic()
    Confluent().write(broker.bootstrap_servers, topic, samples.many(100))
    printed = run_tool(
        "GetOffsetShell", "--bootstrap-server", broker.bootstrap_servers, "--topic", topic,
        "--time", time,
    )  # fmt: skip
    assert printed.split() == [f"{topic}:0:{offset}"]


def test_the_dump_tool_reads_what_is_stored(broker: InteropBroker) -> None:
    topic = broker.new_topic({"segment.bytes": "1048576", "index.interval.bytes": "4096"})
    sent = samples.many(20_000)
    for start in range(0, len(sent), 1000):
        Confluent().write(broker.bootstrap_servers, topic, sent[start : start + 1000], codec="lz4")
    folder = broker.data_dir / f"{topic}-0"
    logs = sorted(folder.glob("*.log"))
    assert len(logs) > 1
    counted = 0
    for log in logs:
        printed = run_tool("DumpLogSegments", "--files", str(log), "--deep-iteration")
        assert "isvalid: false" not in printed
        counted += len(re.findall(r"^\| offset: ", printed, re.MULTILINE))
    assert counted == 20_000
    indexes = [*sorted(folder.glob("*.index"))[:-1], *sorted(folder.glob("*.timeindex"))[:-1]]
    for index in indexes:
        printed = run_tool("DumpLogSegments", "--files", str(index), "--index-sanity-check")
        assert "passed sanity check" in printed, printed
