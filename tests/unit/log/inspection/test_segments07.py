"""What `log verify` finds in segments of Kafka 0.7."""

from barnabas.log.inspection.segments import SegmentFault
from barnabas.log.inspection.segments07 import examine_messages
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_set

_PLAIN = encode_set([b"rex", b"fido"])
_PACKED = encode_set([b"tom", b"kit", b"mia"], codec=Codec.GZIP)


def _examine(data: bytes) -> list[int | SegmentFault]:
    return list(examine_messages(memoryview(data)))


def test_messages_are_counted_also_inside_compressed_ones() -> None:
    assert sum(each for each in _examine(_PLAIN + _PACKED) if isinstance(each, int)) == 5
    assert _examine(b"") == []


def test_a_message_larger_than_a_part_is_whole() -> None:
    assert _examine(encode_set([bytes(5 << 20)])) == [1]


def test_a_wrong_crc_is_named_with_its_byte() -> None:
    damaged = bytearray(_PLAIN + _PLAIN)
    damaged[-1] ^= 1
    found = _examine(bytes(damaged))
    fault = found[-1]
    assert found[0] == 3
    assert isinstance(fault, SegmentFault)
    assert fault.position == len(_PLAIN) + len(encode_set([b"rex"]))
    assert "CRC" in fault.text


def test_garbage_is_a_fault_at_its_first_byte() -> None:
    (fault,) = _examine(b"\xff" * 40)
    assert isinstance(fault, SegmentFault)
    assert fault.position == 0


def test_a_torn_end_is_named() -> None:
    found = _examine(_PLAIN + _PLAIN[:7])
    assert found == [2, SegmentFault(len(_PLAIN), "7 bytes at the end are no whole message")]
