"""Addresses in responses, replaced in every version that has them, and nothing else changed."""

from struct import pack
from typing import Any

import pytest

from barnabas.lens.capture.addresses import AddressChanger
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.describe_cluster import DescribeClusterBroker
from barnabas.protocol.find_coordinator import Coordinator
from barnabas.protocol.headers import (
    RequestHeader,
    decode_response,
    encode_request,
    encode_response,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse, MetadataResponseBroker
from barnabas.protocol.produce import NodeEndpoint, ProduceResponse

NODE: dict[str, Any] = {"node_id": 1, "host": "broker", "port": 9092}
CLUSTER: dict[str, Any] = {
    "error_code": 0, "error_message": None, "cluster_id": "c", "controller_id": 1,
    "cluster_authorized_operations": 0,
    "brokers": [DescribeClusterBroker(broker_id=1, host="broker", port=9092, rack=None)],
}  # fmt: skip
CASES: list[tuple[ApiKey, int, dict[str, Any]]] = [
    *((ApiKey.DESCRIBE_CLUSTER, version, CLUSTER) for version in range(3)),
    *((ApiKey.METADATA, version, {"brokers": [MetadataResponseBroker(**NODE)], "topics": []})
      for version in range(14)),
    *((ApiKey.FIND_COORDINATOR, version, NODE) for version in range(4)),
    *((ApiKey.FIND_COORDINATOR, version,
       {"coordinators": [Coordinator(**NODE, key="g", error_code=0, error_message=None)]})
      for version in range(4, 7)),
    *((ApiKey.PRODUCE, version, {"responses": [], "node_endpoints": [NodeEndpoint(**NODE)]})
      for version in range(10, 14)),
]  # fmt: skip


def changer() -> AddressChanger:
    return AddressChanger(lambda host, port: (f"door-{host}", port + 1))


def ask(changed: AddressChanger, key: ApiKey, version: int) -> None:
    """A request of which only the header matters."""
    frame = pack(">ihhi", 8, key, version, 7)
    assert changed.from_client(frame) == frame


@pytest.mark.parametrize(("key", "version", "values"), CASES)
def test_addresses_are_replaced(key: ApiKey, version: int, values: dict[str, Any]) -> None:
    changed = changer()
    ask(changed, key, version)
    frame = encode_response(key, version, 7, DECLARED[key].response(**values)).joined()
    out = b"".join(changed.from_broker(frame[at : at + 5]) for at in range(0, len(frame), 5))
    correlation_id, message = decode_response(key, version, out[4:])
    assert correlation_id == 7
    assert "door-broker" in repr(message)
    assert "9093" in repr(message)
    assert encode_response(key, version, 7, message).joined() == out


def test_what_has_no_address_goes_on_as_it_is() -> None:
    changed = changer()
    ask(changed, ApiKey.PRODUCE, 7)
    frame = encode_response(ApiKey.PRODUCE, 7, 7, ProduceResponse(responses=[])).joined()
    assert changed.from_broker(frame) == frame
    ask(changed, ApiKey.FIND_COORDINATOR, 0)
    empty = DECLARED[ApiKey.FIND_COORDINATOR].response(node_id=-1, host="", port=-1)
    frame = encode_response(ApiKey.FIND_COORDINATOR, 0, 7, empty).joined()
    assert changed.from_broker(frame) == frame
    assert changed.from_broker(frame) == frame  # that nobody asked for


def test_bytes_that_are_no_frames_go_on_too() -> None:
    changed = changer()
    ask(changed, ApiKey.METADATA, 1)
    noise = (9).to_bytes(4, "big") + (7).to_bytes(4, "big") + b"\xff" * 5
    assert changed.from_broker(noise) == noise
    assert changed.from_broker(b"\x00\x00") == b""
    assert changed.from_broker(b"") == b"\x00\x00"
    lost = changer()
    assert lost.from_broker(b"\xff\xff\xff\xff hello") == b"\xff\xff\xff\xff hello"
    assert lost.from_broker(b"more") == b"more"


def test_a_whole_request_is_passed_on_unchanged() -> None:
    header = RequestHeader(ApiKey.METADATA, 12, 7, "me")
    frame = encode_request(header, MetadataRequest(topics=[])).joined()
    changed = changer()
    assert b"".join(changed.from_client(frame[at : at + 1]) for at in range(len(frame))) == frame
    response = MetadataResponse(brokers=[MetadataResponseBroker(**NODE)], topics=[])
    frame = encode_response(ApiKey.METADATA, 12, 7, response).joined()
    assert changed.from_broker(frame) != frame
