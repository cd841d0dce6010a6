"""`sockets` where nothing is compiled."""

import os

from barnabas.types import Buffer


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
