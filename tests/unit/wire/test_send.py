from typing import cast

import pytest

from barnabas.errors import LocalProtocolError
from barnabas.ports import File
from barnabas.wire.send import FileSlice, Send

NO_FILE = cast("File", object())


def test_a_send_counts_the_bytes_of_its_parts_and_drops_empty_ones() -> None:
    send = Send()
    region = FileSlice(NO_FILE, 100, 5000)
    for part in (b"ab", b"", region, memoryview(b"cde")):
        send.add(part)
    assert len(send) == 5005
    assert send.parts == [b"ab", region, b"cde"]


def test_only_buffers_can_be_joined() -> None:
    send = Send()
    send.add(b"ab")
    send.add(memoryview(b"cd"))
    assert send.joined() == b"abcd"
    send.add(FileSlice(NO_FILE, 0, 1))
    with pytest.raises(LocalProtocolError):
        send.joined()


def test_a_head_is_put_before_all_parts() -> None:
    send = Send()
    send.add(b"body")
    send.put_before(b"head ")
    assert send.parts == [b"head body"]
    files = Send()
    files.add(FileSlice(NO_FILE, 0, 7))
    files.put_before(b"head ")
    assert (files.parts[0], len(files)) == (b"head ", 12)


def test_parts_are_added_together() -> None:
    send = Send(b"ab")
    send.add_all([b"cd", bytearray(b"e")], 3)
    assert len(send) == 5
    assert send.joined() == b"abcde"
