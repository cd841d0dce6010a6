"""`sockets` where nothing is compiled."""

import os
from struct import Struct

from barnabas.types import Buffer

_SIZE = Struct(">i")


def receive(fd: int, target: Buffer, /) -> int:
    """Bytes received into a writable buffer; 0 is the end of the stream, -1 means nothing is there."""
    try:
        return os.readv(fd, (target,))
    except BlockingIOError:
        return -1


def send(fd: int, data: Buffer, /) -> int:
    """Bytes that were taken, of a buffer; 0 where there is no room."""
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0


def one_frame(received: memoryview, count: int, most: int, /) -> memoryview | None:
    """The frame without its size, if the first `count` bytes are one and no more, nor more than `most`."""
    if not _SIZE.size <= count <= min(most, len(received)):
        return None
    (size,) = _SIZE.unpack_from(received)
    return received[_SIZE.size : count] if size == count - _SIZE.size else None
