"""Kafka's own programs of administration against our broker."""

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.kafka_tools import ToolFailed, run_tool
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java]


@pytest.fixture
def ours(our_broker: OurBroker) -> InteropBroker:
    return InteropBroker(our_broker)


def tool(name: str, broker: InteropBroker, *arguments: str) -> str:
    """What one of them prints."""
    try:
        return run_tool(name, "--bootstrap-server", broker.bootstrap_servers, *arguments)
    except PeerMissing as missing:
        give_up(missing)


def test_log_directories(ours: InteropBroker) -> None:
    topic = ours.new_topic(partitions=2)
    given = tool("LogDirsCommand", ours, "--describe", "--topic-list", topic)
    assert f'"partition":"{topic}-1","size":0,"offsetLag":0,"isFuture":false' in given


def test_elections_and_reassignments(ours: InteropBroker) -> None:
    topic = ours.new_topic()
    one = ("--topic", topic, "--partition", "0", "--election-type", "preferred")
    assert "already elected" in tool("LeaderElectionCommand", ours, *one)
    listed = tool("reassign.ReassignPartitionsCommand", ours, "--list")
    assert "No partition reassignments found." in listed


def test_features_that_there_are_not(ours: InteropBroker) -> None:
    with pytest.raises(ToolFailed, match="no feature called kraft.version"):
        tool("FeatureCommand", ours, "upgrade", "--feature", "kraft.version=1")


def test_subscriptions_to_clients_metrics(ours: InteropBroker) -> None:
    wanted = ("--name", "all", "--metrics", "org.apache.kafka.producer.", "--interval", "5000")
    tool("ClientMetricsCommand", ours, "--alter", *wanted)
    assert tool("ClientMetricsCommand", ours, "--list").split() == ["all"]
    described = tool("ClientMetricsCommand", ours, "--describe", "--name", "all")
    assert "interval.ms=5000" in described
    tool("ClientMetricsCommand", ours, "--delete", "--name", "all")
    assert tool("ClientMetricsCommand", ours, "--list").split() == []


def test_properties_and_quotas(ours: InteropBroker) -> None:
    changed = ("--alter", "--add-config")
    of_brokers = ("--entity-type", "brokers", "--entity-default")
    of_clients = ("--entity-type", "clients", "--entity-name", "tool")
    config = "kafka.admin.ConfigCommand"
    tool(config, ours, *changed, "log.retention.ms=5000", *of_brokers)
    assert "log.retention.ms=5000" in tool(config, ours, "--describe", *of_brokers)
    tool(config, ours, "--alter", "--delete-config", "log.retention.ms", *of_brokers)
    tool(config, ours, *changed, "producer_byte_rate=12345", *of_clients)
    assert "producer_byte_rate=12345.0" in tool(config, ours, "--describe", *of_clients)
    tool(config, ours, "--alter", "--delete-config", "producer_byte_rate", *of_clients)
