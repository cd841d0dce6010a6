"""A blocking connection to a broker on this machine that receives frames with a size of four bytes."""

import socket
from types import TracebackType
from typing import Self


class FramedSocket:
    """One connection; what is sent is a matter of its subclasses."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def reply(self) -> memoryview:
        """The next frame, without its size."""
        size = int.from_bytes(self._read(4), "big")
        return memoryview(self._read(size))

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            assert part, f"closed after {len(found)} of {size} bytes"
            found += part
        return found

    def is_closed(self) -> bool:
        """Whether the other side closes and sends nothing before."""
        try:
            return not self._socket.recv(1)
        except ConnectionResetError:
            return True
