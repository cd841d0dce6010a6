"""A request that is said again: only its correlation id may differ."""

from dataclasses import dataclass

import pytest

from barnabas.dialects.kafka.repeated import Repeated
from barnabas.dialects.kafka.requests import KafkaDialect
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
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
ALIVE = HeartbeatResponse(error_code=0)


def repeated_of(frame: memoryview) -> Repeated:
    request = DIALECT.read_request(frame)
    reply = DIALECT.write_response(request, ALIVE)
    assert isinstance(reply, bytes)
    return Repeated(frame, request, ALIVE, reply)


def test_what_is_said_again_reads_as_the_dialect_reads_it() -> None:
    first = Said().frame()
    repeated = repeated_of(first)
    for number in (1, 2, 2**31 - 1, -(2**31)):
        frame = Said(number).frame()
        assert repeated.is_said(frame)
        assert repeated.read(frame) == DIALECT.read_request(frame)
        reply = repeated.reply_to(frame, HeartbeatResponse(error_code=0))
        assert reply == DIALECT.write_response(DIALECT.read_request(frame), ALIVE)


def test_another_outcome_has_another_reply() -> None:
    frame = Said().frame()
    assert repeated_of(frame).reply_to(frame, HeartbeatResponse(error_code=27)) is None


@pytest.mark.parametrize(
    "other",
    [Said(version=3), Said(client="clienT"), Said(group="groups"), Said(generation=8)],
)
def test_anything_else_is_for_the_dialect(other: Said) -> None:
    first = Said().frame()
    assert not repeated_of(first).is_said(other.frame())


def test_so_are_another_api_and_what_is_cut_short() -> None:
    first = Said().frame()
    repeated = repeated_of(first)
    assert not repeated.is_said(memoryview(b"\0\x0d" + bytes(first[2:])))
    assert not any(repeated.is_said(first[:size]) for size in range(len(first)))
