"""MultiRead: many nodes in one request, which kazoo does not have. ZooKeeper has it since 3.6.

Source: ZooKeeper's OpCode.multiRead, MultiOperationRecord and MultiResponse.
"""

from typing import Any, NamedTuple

from kazoo.client import KazooClient
from kazoo.exceptions import EXCEPTIONS, NoNodeError
from kazoo.protocol.serialization import (
    GetData,
    MultiHeader,
    int_struct,
    read_buffer,
    stat_struct,
)
from kazoo.protocol.states import ZnodeStat

_ERROR = -1
_END = bytes(MultiHeader(type=_ERROR, done=True, err=_ERROR).serialize())
_GET = bytes(MultiHeader(type=GetData.type, done=False, err=_ERROR).serialize())


class MultiRead(NamedTuple):
    """A request as kazoo sends it: `type` and `serialize`, and `deserialize` for its response."""

    paths: list[str]
    type: int = 22

    def serialize(self) -> bytearray:
        """The request after its header."""
        parts = bytearray()
        for path in self.paths:
            parts += _GET
            parts += GetData(path, None).serialize()
        parts += _END
        return parts

    @staticmethod
    def deserialize(data: bytes, offset: int) -> list[Any]:
        """Data and status of each node, as `KazooClient.get_async`; None where there is none.

        Raises:
            KazooException: one of them may not be read.
        """
        found: list[Any] = []
        while True:
            header, offset = MultiHeader.deserialize(data, offset)
            if header.done:
                return found
            if header.type == _ERROR:
                (code,) = int_struct.unpack_from(data, offset)
                offset += int_struct.size
                if code != NoNodeError.code:
                    refused = EXCEPTIONS[code]
                    raise refused
                found.append(None)
            else:
                content, offset = read_buffer(data, offset)
                status = ZnodeStat._make(stat_struct.unpack_from(data, offset))
                offset += stat_struct.size
                found.append((content, status))


def read_async(client: KazooClient, paths: list[str]) -> Any:
    """As `KazooClient.get_async`, for many nodes. ZooKeeper before 3.6 closes the connection."""
    asked = client.handler.async_result()
    client._call(MultiRead(paths), asked)  # noqa: SLF001 - what each of its own requests does
    return asked
