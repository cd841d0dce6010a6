"""Headers of requests that the kernel reads are those that Python reads of any."""

from struct import Struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.errors import DecodeError
from barnabas.kernels import request_heads
from barnabas.protocol import headers
from tests.kernel_forms import source

pytestmark = pytest.mark.kernels

FORMS: list[Any] = [request_heads, source("request_heads")]
HEAD = Struct(">hhih")
SINCE = (9, 12, 6, 9, 4, 2, 6, 3)


@given(
    key=st.integers(-1, 8),
    version=st.integers(-1, 13),
    correlation_id=st.integers(-(2**31), 2**31 - 1),
    length=st.integers(-2, 9),
    rest=st.binary(max_size=12) | st.just(b"driver\0\0\0"),
)
def test_both_forms_read_what_python_reads(
    key: int, version: int, correlation_id: int, length: int, rest: bytes
) -> None:
    start = HEAD.pack(key, version, correlation_id, length) + rest
    one, other = (form.read(start, SINCE) for form in FORMS)
    assert one == other
    if one is None:
        return
    assert one[:3] == (key, version, correlation_id)
    in_python = headers._read_request_header(start)
    assert in_python == (headers.RequestHeader(*one[:4]), one[4])


@pytest.mark.parametrize("size", range(11))
@pytest.mark.parametrize("form", FORMS)
def test_what_is_cut_short_is_not_read(form: Any, size: int) -> None:
    whole = HEAD.pack(3, 9, 77, -1) + b"\0"
    assert (form.read(whole[:size], SINCE) is None) == (size < 11)


def test_a_long_client_id_is_read_as_a_short_one() -> None:
    for name in ("n" * 117, "n" * 118, "n" * 500, "ö" * 59):
        data = name.encode()
        frame = HEAD.pack(3, 9, 77, len(data)) + data + b"\0rest"
        header, position = headers.read_request_header(frame)
        assert (header.client_id, frame[position:]) == (name, b"rest")


def test_a_header_that_ends_too_soon_is_refused_by_name() -> None:
    with pytest.raises(DecodeError, match="header.client_id"):
        headers.read_request_header(HEAD.pack(3, 9, 77, 5) + b"four")
