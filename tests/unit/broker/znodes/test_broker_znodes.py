import json

import pytest

from barnabas.broker.znodes.broker_znodes import (
    decode_cluster,
    decode_controller,
    encode_broker,
    encode_cluster,
    next_epoch,
)
from barnabas.config.listeners import Endpoint
from barnabas.errors import StorageError

ENDPOINTS = {
    "INNER": Endpoint("INNER", "::1", 9093),
    "PLAINTEXT": Endpoint("PLAINTEXT", "here", 9092),
}


@pytest.mark.parametrize(
    ("release", "version", "names"),
    [
        ("0.8.2", 1, set()),
        ("0.9.0", 2, {"endpoints"}),
        ("0.10.1", 3, {"endpoints"}),
        ("0.10.2", 4, {"endpoints", "listener_security_protocol_map"}),
        ("2.8", 5, {"endpoints", "listener_security_protocol_map", "features"}),
        ("", 4, {"endpoints", "listener_security_protocol_map"}),
    ],
)
def test_a_brokers_node_is_what_its_release_writes(
    release: str, version: int, names: set[str]
) -> None:
    node = json.loads(encode_broker(release, ENDPOINTS, 1_500_000_000_000))
    assert set(node) == {"jmx_port", "timestamp", "host", "version", "port"} | names
    assert (node["version"], node["host"], node["port"]) == (version, "here", 9092)
    assert node["timestamp"] == "1500000000000"
    if version > 1:
        assert node["endpoints"] == ["INNER://[::1]:9093", "PLAINTEXT://here:9092"]
    if version > 3:
        assert node["listener_security_protocol_map"] == {
            "INNER": "PLAINTEXT",
            "PLAINTEXT": "PLAINTEXT",
        }


def test_without_a_listener_of_that_name_the_first_one_is_registered() -> None:
    node = json.loads(encode_broker("0.8.2", {"INNER": ENDPOINTS["INNER"]}, 0))
    assert (node["host"], node["port"]) == ("::1", 9093)


@pytest.mark.parametrize("garbage", [b"", b"x", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_garbage_in_a_node_is_an_error_that_names_it(garbage: bytes) -> None:
    with pytest.raises(StorageError, match="/cluster/id"):
        decode_cluster(garbage)
    with pytest.raises(StorageError, match="/controller_epoch"):
        next_epoch(garbage)
    with pytest.raises(StorageError, match="/controller cannot be read"):
        decode_controller(garbage)


def test_what_was_written_is_read() -> None:
    assert decode_cluster(encode_cluster("abc")) == "abc"
    assert next_epoch(b"41") == 42
