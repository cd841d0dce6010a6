"""The peers themselves: they start, they say what is missing, they leave nothing behind."""

from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.interop.brokers import wait_for
from tests.interop.peers import maven, missing
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.kafka_tools import run_tool

pytestmark = pytest.mark.interop


def test_without_maven_the_reason_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BARNABAS_PEERS_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(missing.PeerMissing, match="apt-get install maven"):
        maven.jars(maven.KAFKA_4)


def test_in_ci_a_peer_that_could_be_had_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception):
        missing.give_up(missing.PeerMissing("fetching broke", expected_in_ci=True))
    with pytest.raises(pytest.skip.Exception):
        missing.give_up(missing.PeerMissing("no Maven"))


def test_a_project_file_asks_for_each_artifact_and_leaves_out_the_rest() -> None:
    text = maven.pom(maven.SPARK_CONNECTOR)
    assert text.count("<dependency>") == len(maven.SPARK_CONNECTOR.artifacts)
    assert "<groupId>*</groupId><artifactId>*</artifactId>" in text


@pytest.mark.java
def test_a_real_kafka_starts_serves_its_own_tools_and_goes(real_kafka: RealKafka) -> None:
    address = real_kafka.bootstrap_servers
    run_tool("TopicCommand", "--bootstrap-server", address, "--create", "--topic", "peer-check")
    wait_for(
        lambda: "peer-check" in AdminClient({"bootstrap.servers": address}).list_topics().topics
    )
    listed = run_tool("TopicCommand", "--bootstrap-server", address, "--list")
    assert "peer-check" in listed.split()
