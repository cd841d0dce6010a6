"""Other protocols are recognised by their first bytes."""

import pytest

from barnabas.client.core.cluster.other_protocols import other_protocol


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (b"HTTP/1.1 400 Bad\r\nServer: x", "it answers with HTTP, 'HTTP/1.1 400 Bad'"),
        (b"\x16\x03\x01\x00", "it answers with TLS, which this client does not speak"),
        (b"SSH-2.0-x\r\n", "it answers with SSH, 'SSH-2.0-x'"),
        (b"<html>" + b"x" * 100, f"it answers with '<html>{'x' * 34}'"),
        (b"-ERR\xff", "it answers with '-ERR�'"),
    ],
)
def test_another_protocol_is_quoted(first: bytes, says: str) -> None:
    assert other_protocol(memoryview(first)) == says


@pytest.mark.parametrize(
    "first", [b"", b"\0", b"\0\0\1\x20", b"HTT", b"\xff\xff\xff\xff", b"\0abc"]
)
def test_what_may_be_a_size_is_no_other_protocol(first: bytes) -> None:
    assert other_protocol(first) == ""
