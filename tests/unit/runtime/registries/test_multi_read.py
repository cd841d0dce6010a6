"""Many nodes in one response of ZooKeeper's, as bytes.

On a real one: tests/interop/clusters/test_zookeeper.py.
"""

from struct import pack

import pytest
from kazoo.exceptions import NoAuthError, NoNodeError

from barnabas.runtime.registries.multi_read import MultiRead

END = pack(">iBi", -1, 1, -1)
STATUS = pack(">qqqqiiiqiiq", 11, 22, 0, 0, 5, 0, 0, 0, 1, 0, 11)


def error(code: int) -> bytes:
    return pack(">iBi", -1, 0, code) + pack(">i", code)


def test_a_request() -> None:
    one = pack(">iBi", 4, 0, -1) + pack(">i", 2) + b"/a" + b"\0"
    assert bytes(MultiRead(["/a"]).serialize()) == one + END
    assert MultiRead([]).type == 22


def test_a_response_with_a_node_one_without_data_and_none() -> None:
    header = pack(">iBi", 4, 0, 0)
    data = b"head" + header + pack(">i", 1) + b"x" + STATUS + error(NoNodeError.code)
    data += header + pack(">i", -1) + STATUS + END
    first, missing, empty = MultiRead.deserialize(data, 4)
    assert first[0] == b"x"
    assert (first[1].czxid, first[1].mzxid, first[1].version) == (11, 22, 5)
    assert missing is None
    assert empty[0] in {None, b""}


def test_a_node_that_may_not_be_read_is_an_error_and_not_none() -> None:
    with pytest.raises(NoAuthError):
        MultiRead.deserialize(error(NoAuthError.code) + END, 0)
