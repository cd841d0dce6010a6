"""The protocol as it was written down for releases 0.8 to 1.0, put into bytes by hand.

Each line is a message: its versions, its bytes, and what they say: lists in [], their parts in (),
null as ~, bytes as hexadecimal digits behind a #.
"""

from typing import Any

import pytest

from barnabas.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from barnabas.protocol.declared import DECLARED
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import declaration_of

GRAMMAR = """
MetadataRequest 0 | 00000002 0001 74 0002 7532 | [(t) (u2)]
MetadataResponse 0 | 00000001 00000007 0001 68 00002384 \
 00000001 0000 0001 74 00000001 0005 00000003 ffffffff 00000002 00000007 00000008 00000000 \
 | [(7 h 9092)] [(0 t [(5 3 -1 [7 8] [])])]

ProduceRequest 0-2 | 0001 000003e8 00000001 0001 74 00000001 00000003 00000002 abcd \
 | 1 1000 [(t [(3 #abcd)])]
ProduceResponse 0 | 00000001 0001 74 00000001 00000003 0000 000000000000002a | [(t [(3 0 42)])]
ProduceResponse 1 | 00000001 0001 74 00000001 00000003 0000 000000000000002a 00000005 \
 | [(t [(3 0 42)])] 5
ProduceResponse 2 | 00000001 0001 74 00000001 00000003 0000 000000000000002a ffffffffffffffff \
 00000005 | [(t [(3 0 42 -1)])] 5

FetchRequest 0-2 | ffffffff 00000064 00000001 \
 00000001 0001 74 00000001 00000003 000000000000002a 00001000 | -1 100 1 [(t [(3 42 4096)])]
FetchResponse 0 | 00000001 0001 74 00000001 00000003 0000 000000000000002b 00000002 abcd \
 | [(t [(3 0 43 #abcd)])]
FetchResponse 1-2 | 00000005 00000001 0001 74 00000001 00000003 0000 000000000000002b 00000000 \
 | 5 [(t [(3 0 43 #)])]

ListOffsetsRequest 0 | ffffffff 00000001 0001 74 00000001 00000003 fffffffffffffffe 00000001 \
 | -1 [(t [(3 -2 1)])]
ListOffsetsRequest 1 | ffffffff 00000001 0001 74 00000001 00000003 ffffffffffffffff \
 | -1 [(t [(3 -1)])]
ListOffsetsResponse 0 | 00000001 0001 74 00000001 00000003 0000 \
 00000002 000000000000002a 0000000000000000 | [(t [(3 0 [42 0])])]
# The guide has a list of offsets here too; there is one.
ListOffsetsResponse 1 | 00000001 0001 74 00000001 00000003 0000 0000000000000064 000000000000002a \
 | [(t [(3 0 100 42)])]

FindCoordinatorRequest 0 | 0001 67 | g
FindCoordinatorResponse 0 | 000f ffffffff 0000 ffffffff | 15 -1 '' -1

OffsetCommitRequest 0 | 0001 67 00000001 0001 74 00000001 00000003 000000000000002a 0001 6d \
 | g [(t [(3 42 m)])]
OffsetCommitRequest 1 | 0001 67 00000009 0001 63 \
 00000001 0001 74 00000001 00000003 000000000000002a ffffffffffffffff ffff \
 | g 9 c [(t [(3 42 -1 ~)])]
OffsetCommitRequest 2 | 0001 67 00000009 0001 63 00000000000003e8 \
 00000001 0001 74 00000001 00000003 000000000000002a 0001 6d | g 9 c 1000 [(t [(3 42 m)])]
OffsetCommitResponse 0-2 | 00000001 0001 74 00000001 00000003 0010 | [(t [(3 16)])]

OffsetFetchRequest 0-1 | 0001 67 00000001 0001 74 00000002 00000003 00000004 | g [(t [3 4])]
OffsetFetchResponse 0-1 | 00000001 0001 74 00000001 00000003 ffffffffffffffff 0000 0000 \
 | [(t [(3 -1 '' 0)])]

JoinGroupRequest 0 | 0001 67 00007530 0000 0008 636f6e73756d6572 \
 00000001 0005 72616e6765 00000002 abcd | g 30000 '' consumer [(range #abcd)]
JoinGroupRequest 1 | 0001 67 00007530 0000ea60 0001 6d 0008 636f6e73756d6572 00000000 \
 | g 30000 60000 m consumer []
JoinGroupResponse 0-1 | 0000 00000001 0005 72616e6765 0001 6d 0001 6d \
 00000001 0001 6d 00000001 ab | 0 1 range m m [(m #ab)]

SyncGroupRequest 0 | 0001 67 00000001 0001 6d 00000001 0001 6d 00000001 ab | g 1 m [(m #ab)]
SyncGroupResponse 0 | 0000 00000001 ab | 0 #ab
HeartbeatRequest 0 | 0001 67 00000001 0001 6d | g 1 m
HeartbeatResponse 0 | 001b | 27
LeaveGroupRequest 0 | 0001 67 0001 6d | g m
LeaveGroupResponse 0 | 0019 | 25

ListGroupsRequest 0 | |
ListGroupsResponse 0 | 0000 00000001 0001 67 0008 636f6e73756d6572 | 0 [(g consumer)]
DescribeGroupsRequest 0 | 00000001 0001 67 | [g]
DescribeGroupsResponse 0 | 00000001 0000 0001 67 0006 537461626c65 0008 636f6e73756d6572 \
 0005 72616e6765 00000001 0001 6d 0001 63 0002 2f68 00000001 ab 00000001 cd \
 | [(0 g Stable consumer range [(m c /h #ab #cd)])]

# Behind the version, an int16.
ConsumerProtocolSubscription 0 | 00000001 0001 74 ffffffff | [t] ~
ConsumerProtocolAssignment 0 | 00000001 0001 74 00000002 00000000 00000001 00000000 \
 | [(t [0 1])] #
"""

"""Source: "A Guide To The Kafka Protocol", its grammar; what is wrong there is listed above."""

OF_BROKERS_AND_ADMINS = """
LeaderAndIsrRequest 0 | 00000001 00000005 00000001 0001 74 00000003 00000005 00000001 00000002 \
 00000002 00000001 00000002 00000004 00000002 00000001 00000002 \
 00000001 00000001 0001 68 00002384 | 1 5 [(t 3 5 1 2 [1 2] 4 [1 2])] [(1 h 9092)]
LeaderAndIsrRequest 1 | 00000001 00000005 00000001 0001 74 00000003 00000005 00000001 00000002 \
 00000002 00000001 00000002 00000004 00000002 00000001 00000002 01 \
 00000000 | 1 5 [(t 3 5 1 2 [1 2] 4 [1 2] True)] []
LeaderAndIsrResponse 0-1 | 0000 00000001 0001 74 00000003 0000 | 0 [(t 3 0)]

StopReplicaRequest 0 | 00000001 00000005 01 00000001 0001 74 00000003 | 1 5 True [(t 3)]
StopReplicaResponse 0 | 0000 00000001 0001 74 00000003 0000 | 0 [(t 3 0)]

UpdateMetadataRequest 0 | 00000001 00000005 00000001 0001 74 00000003 00000005 00000001 00000002 \
 00000002 00000001 00000002 00000004 00000002 00000001 00000002 \
 00000001 00000001 0001 68 00002384 | 1 5 [(t 3 5 1 2 [1 2] 4 [1 2])] [(1 h 9092)]
UpdateMetadataRequest 1 | 00000001 00000005 00000000 \
 00000001 00000001 00000001 00002384 0001 68 0000 | 1 5 [] [(1 [(9092 h 0)])]
UpdateMetadataRequest 2 | 00000001 00000005 00000000 \
 00000001 00000001 00000001 00002384 0001 68 0000 ffff | 1 5 [] [(1 [(9092 h 0)] ~)]
UpdateMetadataRequest 3 | 00000001 00000005 00000000 \
 00000001 00000001 00000001 00002384 0001 68 0001 6c 0000 0001 72 | 1 5 [] [(1 [(9092 h l 0)] r)]
UpdateMetadataRequest 4 | 00000001 00000005 00000001 0001 74 00000003 00000005 00000001 00000002 \
 00000001 00000001 00000004 00000001 00000001 00000001 00000002 \
 00000000 | 1 5 [(t 3 5 1 2 [1] 4 [1] [2])] []
UpdateMetadataResponse 0-4 | 0000 | 0

ControlledShutdownRequest 0-1 | 00000001 | 1
ControlledShutdownResponse 0-1 | 0000 00000001 0001 74 00000003 | 0 [(t 3)]

SaslHandshakeRequest 0-1 | 0005 504c41494e | PLAIN
SaslHandshakeResponse 0-1 | 0000 00000001 0005 504c41494e | 0 [PLAIN]

CreateTopicsRequest 0 | 00000001 0001 74 00000002 0001 00000000 00000001 0001 6b 0001 76 \
 00007530 | [(t 2 1 [] [(k v)])] 30000
CreateTopicsRequest 1 | 00000001 0001 74 ffffffff ffff 00000001 00000000 00000001 00000002 00000000 \
 00007530 01 | [(t -1 -1 [(0 [2])] [])] 30000 True
CreateTopicsResponse 0 | 00000001 0001 74 0000 | [(t 0)]
CreateTopicsResponse 1 | 00000001 0001 74 0024 0001 65 | [(t 36 e)]
DeleteTopicsRequest 0 | 00000001 0001 74 00007530 | [t] 30000
DeleteTopicsResponse 0 | 00000001 0001 74 0000 | [(t 0)]

WriteTxnMarkersRequest 0 | 00000001 0000000000000007 0002 01 \
 00000001 0001 74 00000001 00000003 00000009 | [(7 2 True [(t [3])] 9)]
WriteTxnMarkersResponse 0 | 00000001 0000000000000007 00000001 0001 74 00000001 00000003 0000 \
 | [(7 [(t [(3 0)])])]
OffsetForLeaderEpochRequest 0 | 00000001 0001 74 00000001 00000003 00000002 | [(t [(3 2)])]
OffsetForLeaderEpochResponse 0 | 00000001 0001 74 00000001 0000 00000003 000000000000002a \
 | [(t [(0 3 42)])]
"""
"""Source: the protocol pages of releases 0.9 to 1.0."""

OURS = {
    each.__name__: each for api in DECLARED.values() for each in (api.request, api.response)
} | {each.__name__: each for each in (ConsumerProtocolSubscription, ConsumerProtocolAssignment)}


def rows() -> list[Any]:
    found = []
    for line in (GRAMMAR + OF_BROKERS_AND_ADMINS).splitlines():
        if line and not line.startswith("#"):
            message, data, answer = (part.strip() for part in line.split("|"))
            name, versions = message.split()
            for version in VersionRange.parse(versions):
                given = (OURS[name], version, bytes.fromhex(data), answer)
                found.append(pytest.param(*given, id=f"{name}-{version}"))
    return found


@pytest.mark.parametrize(("declared", "version", "data", "answer"), rows())
def test_bytes_say_what_the_grammar_says(
    declared: type, version: int, data: bytes, answer: str
) -> None:
    codec: Codec[Any] = Codec.of(declared, version)
    message, end = codec.decode(data)
    assert end == len(data)
    layout = layout_of(declared, version, declaration_of(declared).encoding(version))
    assert struct_text(layout, message) == answer
    assert codec.encode(message) == data


def struct_text(layout: StructLayout, message: Any) -> str:
    return " ".join(field_text(field, getattr(message, field.name)) for field in layout.fields)


def field_text(field: FieldLayout, value: Any) -> str:
    if field.array:
        return f"[{' '.join(one_text(field, one) for one in value)}]"
    return one_text(field, value)


def one_text(field: FieldLayout, value: Any) -> str:
    if isinstance(field.kind, StructLayout):
        return f"({struct_text(field.kind, value)})"
    if value is None:
        return "~"
    if isinstance(value, bytes | memoryview):
        return f"#{bytes(value).hex()}"
    return str(value) or "''"
