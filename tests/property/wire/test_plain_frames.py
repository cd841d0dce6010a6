"""Whole frames of requests and replies that kernels read and write are those of Python."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.broker.dispatch import SERVED
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.requests import KafkaDialect, MessageCodecs
from barnabas.errors import DecodeError
from barnabas.kernels.wire import struct_reading
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import (
    RequestHeader,
    encode_request,
    encode_response,
    response_encoder,
)
from barnabas.wire.charges import MOST_REQUEST_BYTES
from fuzz.messages import make_message
from fuzz.mutations import mutate

pytestmark = pytest.mark.kernels


def read(dialect: KafkaDialect, frame: bytes) -> Any:
    """What a frame says, or why it says nothing."""
    try:
        return dialect.read_request(memoryview(bytearray(frame)))
    except DecodeError as failure:
        return str(failure)


@pytest.mark.parametrize("key", SERVED, ids=lambda key: key.name)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), client=st.sampled_from((None, "", "client", "ö" * 99)))
def test_a_request_is_read_alike_the_first_time_and_later(
    key: ApiKey, seed: int, client: str | None
) -> None:
    chance = random.Random(seed)
    version = chance.randrange(SERVED[key].first, SERVED[key].last + 1)
    message = make_message(DECLARED[key].request, version, chance)
    frame = encode_request(RequestHeader(key, version, -seed // 2, client), message).joined()[4:]
    ways = MessageCodecs(SERVED)
    dialect = KafkaDialect(ways)
    first, second = read(dialect, frame), read(dialect, frame)
    assert first == second == Request(key, version, -seed // 2, client, message)
    if ways.kernels:
        requests = struct_reading.Requests(ways.kernels, Request, MOST_REQUEST_BYTES)
        assert requests.read(frame) == second
    for _ in range(10):
        wrong = bytes(mutate(frame, chance))
        one, other = read(dialect, wrong), read(KafkaDialect(MessageCodecs(SERVED)), wrong)
        # What was damaged may be a number that is none, which equals nothing.
        assert one == other or repr(one) == repr(other)


@pytest.mark.parametrize("key", SERVED, ids=lambda key: key.name)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_a_reply_is_its_head_and_its_message(key: ApiKey, seed: int) -> None:
    chance = random.Random(seed)
    version = chance.randrange(SERVED[key].first, SERVED[key].last + 1)
    message = make_message(DECLARED[key].response, version, chance)
    whole = encode_response(key, version, -seed // 2, message).joined()
    frame = response_encoder(key, version)(-seed // 2, message)
    assert (frame if isinstance(frame, bytes) else frame.joined()) == whole
