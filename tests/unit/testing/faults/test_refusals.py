"""Every API that the broker serves can be refused: the response has the code, and is one that clients read."""

from typing import Any

import pytest

from barnabas.broker.dispatch import ROUTES
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.headers import decode_response, encode_response
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
)
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing.faults.refusals import refusal
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import Blob, Fixed, RecordSet, Text, declaration_of

CODE = ErrorCode.NOT_ENOUGH_REPLICAS
TOPIC_ID = bytes(range(16))

EVERY = [
    pytest.param(api, version, id=f"{api.name} {version}")
    for api, route in ROUTES.items()
    for version in range(route.versions.first, route.versions.last + 1)
]


def sample(layout: StructLayout) -> Any:
    """A message in which every array has one element."""
    return layout.declared(
        **{field.name: value(field) for field in (*layout.fields, *layout.tagged)}
    )


def value(field: FieldLayout) -> object:
    one: object
    match field.kind:
        case StructLayout() as struct:
            one = sample(struct)
        case Fixed(code="16s"):
            one = TOPIC_ID
        case Fixed(code="?"):
            one = False
        case Fixed():
            one = 3
        case Text():
            one = "dogs"
        case Blob() | RecordSet():
            one = b"x"
    return [one] if field.array else one


def codes(message: object) -> list[int]:
    """All error codes in a message."""
    found: list[int] = []
    if isinstance(message, list):
        for one in message:
            found += codes(one)
    elif "DECLARATION" in type(message).__dict__:
        for name in declaration_of(type(message)).fields:
            inner = getattr(message, name)
            found += [inner] if name in {"error_code", "partition_error_code"} else codes(inner)
    return found


@pytest.mark.parametrize(("api", "version"), EVERY)
def test_every_api_in_every_version_can_be_refused(api: ApiKey, version: int) -> None:
    declared = DECLARED[api]
    encoding = declaration_of(declared.request).encoding(version)
    asked = sample(layout_of(declared.request, version, encoding))
    refused = refusal(api, version, asked, CODE, "on purpose")
    frame = encode_response(api, version, 7, refused).joined()
    number, response = decode_response(api, version, memoryview(frame)[4:])
    assert number == 7
    assert type(response) is declared.response
    assert CODE in codes(response)
    assert set(codes(response)) <= {CODE, ErrorCode.NONE}
    assert getattr(response, "throttle_time_ms", 0) == 0


def test_a_refused_produce_names_its_partitions() -> None:
    topic = TopicProduceData(
        name="dogs",
        partition_data=[
            PartitionProduceData(index=2, records=None),
            PartitionProduceData(index=5, records=None),
        ],
    )
    refused = refusal(
        ApiKey.PRODUCE, 9, ProduceRequest(acks=1, timeout_ms=1, topic_data=[topic]), CODE, "no"
    )
    assert isinstance(refused, ProduceResponse)
    ((answered),) = refused.responses
    assert answered.name == "dogs"
    rows = [
        (one.index, one.error_code, one.base_offset, one.error_message)
        for one in answered.partition_responses
    ]
    assert rows == [(2, CODE, -1, "no"), (5, CODE, -1, "no")]


def test_a_fetch_is_refused_by_partition_unless_it_names_none() -> None:
    partition = FetchPartition(partition=4, fetch_offset=9, partition_max_bytes=1)
    topic = FetchTopic(topic_id=TOPIC_ID, partitions=[partition])
    asked = FetchRequest(max_wait_ms=0, min_bytes=0, topics=[topic])
    refused = refusal(ApiKey.FETCH, 13, asked, CODE)
    assert isinstance(refused, FetchResponse)
    assert refused.error_code == 0
    assert refused.responses[0].topic_id == TOPIC_ID
    (row,) = refused.responses[0].partitions
    assert (row.partition_index, row.error_code, row.high_watermark) == (4, CODE, -1)
    nothing = refusal(ApiKey.FETCH, 13, FetchRequest(max_wait_ms=0, min_bytes=0, topics=[]), CODE)
    assert isinstance(nothing, FetchResponse)
    assert (nothing.error_code, nothing.responses) == (CODE, [])


def test_groups_are_refused_each() -> None:
    described = refusal(ApiKey.DESCRIBE_GROUPS, 5, DescribeGroupsRequest(groups=["a", "b"]), CODE)
    assert isinstance(described, DescribeGroupsResponse)
    assert [(one.group_id, one.error_code) for one in described.groups] == [
        ("a", CODE),
        ("b", CODE),
    ]
    asked = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="a", topics=None)])
    fetched = refusal(ApiKey.OFFSET_FETCH, 8, asked, CODE)
    assert isinstance(fetched, OffsetFetchResponse)
    assert [(one.group_id, one.error_code, one.topics) for one in fetched.groups] == [
        ("a", CODE, [])
    ]
