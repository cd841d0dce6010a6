"""A request that is said again: only its correlation id may differ."""

from dataclasses import dataclass

import pytest

from barnabas.dialects.kafka.repeated import Repeated
from barnabas.dialects.kafka.requests import KafkaDialect
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.versions import VersionRange


@dataclass(frozen=True)
class Said:
    """What a member may say."""

    number: int = 1
    version: int = 4
    client: str = "client"
    group: str = "group"
    generation: int = 7

    def frame(self) -> memoryview:
        header = RequestHeader(ApiKey.HEARTBEAT, self.version, self.number, self.client)
        request = HeartbeatRequest(
            group_id=self.group, generation_id=self.generation, member_id="member"
        )
        return memoryview(encode_request(header, request).joined())[4:]


DIALECT = KafkaDialect({ApiKey.HEARTBEAT: VersionRange.parse("0-4")})


def test_what_is_said_again_reads_as_the_dialect_reads_it() -> None:
    first = Said().frame()
    repeated = Repeated(first, DIALECT.read_request(first))
    for number in (1, 2, 2**31 - 1, -(2**31)):
        frame = Said(number).frame()
        assert repeated.read(frame) == DIALECT.read_request(frame)


@pytest.mark.parametrize(
    "other",
    [Said(version=3), Said(client="clienT"), Said(group="groups"), Said(generation=8)],
)
def test_anything_else_is_for_the_dialect(other: Said) -> None:
    first = Said().frame()
    repeated = Repeated(first, DIALECT.read_request(first))
    assert repeated.read(other.frame()) is None


def test_so_are_another_api_and_what_is_cut_short() -> None:
    first = Said().frame()
    repeated = Repeated(first, DIALECT.read_request(first))
    assert repeated.read(memoryview(b"\0\x0d" + bytes(first[2:]))) is None
    assert all(repeated.read(first[:size]) is None for size in range(len(first)))
