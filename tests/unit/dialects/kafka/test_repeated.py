"""A request that is said again: only its correlation id may differ."""

from dataclasses import dataclass

import pytest

from barnabas.dialects.kafka.repeated import Repeated
from barnabas.dialects.kafka.requests import KafkaDialect, Ways
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
        return memoryview(encode_request(header, request).joined())


DIALECT = KafkaDialect(Ways({ApiKey.HEARTBEAT: VersionRange.parse("0-4")}))
ALIVE = HeartbeatResponse(error_code=0)


def repeated_of(frame: memoryview) -> Repeated:
    request = DIALECT.read_request(frame[4:])
    reply = DIALECT.write_response(request, ALIVE)
    assert isinstance(reply, bytes)
    return Repeated(frame[4:], request, ALIVE, reply)


def test_what_is_said_again_reads_as_the_dialect_reads_it() -> None:
    repeated = repeated_of(Said().frame())
    for number in (1, 2, 2**31 - 1, -(2**31)):
        frame = Said(number).frame()
        request = DIALECT.read_request(frame[4:])
        assert repeated.read(frame) == request
        assert repeated.reply_to(frame) == DIALECT.write_response(request, ALIVE)


@pytest.mark.parametrize(
    "other",
    [Said(version=3), Said(client="clienT"), Said(group="groups"), Said(generation=8)],
)
def test_anything_else_is_for_the_dialect(other: Said) -> None:
    assert repeated_of(Said().frame()).reply_to(other.frame()) is None


def test_so_are_another_api_and_what_is_not_one_whole_frame() -> None:
    first = Said().frame()
    repeated = repeated_of(first)
    whole = bytes(first)
    assert repeated.reply_to(memoryview(whole[:4] + b"\0\x0d" + whole[6:])) is None
    assert repeated.reply_to(memoryview(b"\0\0\1" + whole[3:])) is None
    assert not any(repeated.reply_to(first[:size]) for size in range(len(first)))
    assert repeated.reply_to(memoryview(whole + b"\0")) is None
    assert repeated.reply_to(memoryview(whole * 2)) is None
