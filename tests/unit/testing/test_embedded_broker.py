"""The broker in process: it answers, keeps what it was given, leaves nothing."""

import socket
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from barnabas import Admin, Resource
from barnabas.errors import BrokerError, ConfigError, LocalProtocolError, StorageError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from barnabas.testing import EmbeddedBroker, EmbeddedCluster


def ask(broker: EmbeddedBroker, key: ApiKey, version: int, message: object) -> object:
    with socket.create_connection(("127.0.0.1", broker.port), timeout=10) as client:
        client.sendall(encode_request(RequestHeader(key, version, 7, "test"), message).joined())
        stream = client.makefile("rb")
        (size,) = struct.unpack(">i", stream.read(4))
        correlation_id, answer = decode_response(key, version, stream.read(size))
    assert correlation_id == 7
    return answer


def names(broker: EmbeddedBroker) -> list[tuple[str | None, int]]:
    answer = ask(broker, ApiKey.METADATA, 12, MetadataRequest(topics=None))
    assert isinstance(answer, MetadataResponse)
    return [(topic.name, len(topic.partitions)) for topic in answer.topics]


def test_it_answers_and_leaves_nothing_behind() -> None:
    with EmbeddedBroker() as broker:
        directory = broker.data_dir
        question = ApiVersionsRequest(client_software_name="test", client_software_version="1")
        answer = ask(broker, ApiKey.API_VERSIONS, 3, question)
    assert isinstance(answer, ApiVersionsResponse)
    assert answer.error_code == 0
    assert {row.api_key for row in answer.api_keys} >= {ApiKey.PRODUCE, ApiKey.FETCH}
    assert not directory.exists()


def test_it_gives_its_descriptors_back(tmp_path: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("descriptors have no names here")
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        broker.create_topic("dogs")
    held = [str(each.readlink()) for each in descriptors.iterdir() if each.is_symlink()]
    assert not [name for name in held if name.startswith(str(tmp_path))]


def test_a_topic_has_1_to_10_000_partitions() -> None:
    with EmbeddedBroker() as broker:
        for wrong, code in ((0, "INVALID_PARTITIONS"), (10_001, "POLICY_VIOLATION")):
            with pytest.raises(BrokerError, match=code):
                broker.create_topic("dogs", wrong)
        assert names(broker) == []


def test_topics_outlive_the_broker_where_a_directory_is_given(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        broker.create_topic("dogs", 3, {"retention.ms": "1000"})
        assert names(broker) == [("dogs", 3)]
        with pytest.raises(BrokerError, match="TOPIC_ALREADY_EXISTS"):
            broker.create_topic("dogs")
        with pytest.raises(BrokerError, match="INVALID_CONFIG"):
            broker.create_topic("cats", config={"retention.ms": "soon"})
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert names(broker) == [("dogs", 3)]


def test_a_second_broker_on_the_same_directory_is_refused(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        with pytest.raises(StorageError, match=str(tmp_path)):
            EmbeddedBroker(data_dir=tmp_path).start()
        assert names(broker) == []


def test_a_misspelt_property_is_an_error_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    wrong = {"num.partition": 3}
    for kit in (EmbeddedBroker(wrong), EmbeddedCluster(2, wrong)):
        with pytest.raises(ConfigError, match="num.partition; did you mean num.partitions"), kit:
            pytest.fail("it runs")
    assert not list(tmp_path.iterdir())


def test_a_new_group_is_not_waited_for_unless_configured() -> None:
    name = "group.initial.rebalance.delay.ms"
    for reported, delay in (({}, "0"), ({name: 500}, "500")):
        with (
            EmbeddedBroker(reported) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
        ):
            assert admin.describe_configs(Resource.BROKER, "1")[name].value == delay


@pytest.mark.parametrize(
    "asked",
    [
        lambda broker: broker.port,
        lambda broker: broker.port_of("PLAINTEXT"),
        lambda broker: broker.bootstrap_servers,
        lambda broker: broker.data_dir,
        lambda broker: broker.create_topic("dogs"),
    ],
)
def test_before_its_start_and_after_its_end_it_says_what_to_do(
    asked: Callable[[EmbeddedBroker], object],
) -> None:
    broker = EmbeddedBroker()
    with pytest.raises(LocalProtocolError, match=r"not started: use it inside `with Embedded"):
        asked(broker)
    for _ in range(2):
        with broker:
            asked(broker)
        with pytest.raises(LocalProtocolError, match=r"has ended: use it .* start\(\) and stop"):
            asked(broker)
