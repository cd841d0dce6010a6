"""Texts that come again and again are read as what they are, whatever came before them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.errors import DecodeError
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.wire.compiler import Codec

pytestmark = pytest.mark.kernels

PLAIN: Codec[HeartbeatRequest] = Codec.of(HeartbeatRequest, 0)

ENDS_ALIKE = [f"12345678{middle:03}12345678" for middle in range(100)]
"""Of one length, with the same eight bytes at both ends: they are kept at one place."""


def written(group_id: str) -> bytes:
    """A message with that text."""
    return PLAIN.encode(HeartbeatRequest(group_id=group_id, generation_id=1, member_id="one"))


def read(group_id: str) -> str:
    """A text, once it was written and read."""
    return PLAIN.decode(written(group_id))[0].group_id


@given(texts=st.lists(st.sampled_from(ENDS_ALIKE) | st.text(max_size=300)))
def test_a_text_is_read_as_it_was_written(texts: list[str]) -> None:
    assert [read(one) for one in texts * 2] == texts * 2


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16, 17, 254, 255, 256, 257, 32767])
def test_so_is_one_of_any_length(length: int) -> None:
    for letter in "ab" * 2:
        assert read(letter * length) == letter * length


def test_texts_that_differ_in_their_middles_alone_are_distinguished() -> None:
    for one in ENDS_ALIKE * 2:
        assert read(one) == one


def test_as_many_bytes_are_not_as_many_characters() -> None:
    for one in ("ab", "ö", "ab", "öa", "abc"):
        assert read(one) == one


def test_what_is_no_text_is_refused_each_time() -> None:
    whole = written("good")
    wrong = whole.replace(b"good", b"g\xffod")
    for _ in range(2):
        assert PLAIN.decode(whole)[0].group_id == "good"
        with pytest.raises(DecodeError, match="group_id"):
            PLAIN.decode(wrong)
