import pytest

from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.control import Marker, encode_marker
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.kinds import are_plain

pytestmark = pytest.mark.kernels


def a_batch(*, transactional: bool = False) -> bytes:
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(1, b"key", b"value")
    producer = (7, 0, 0) if transactional else (-1, -1, -1)
    return bytes(builder.build(*producer, transactional=transactional))


def test_one_batch_of_a_transaction_is_enough() -> None:
    plain = a_batch()
    assert are_plain(plain + plain)
    assert not are_plain(plain + a_batch(transactional=True) + plain)
    assert not are_plain(
        plain + bytes(encode_marker(Marker(committed=True, coordinator_epoch=0), 7, 0, 1))
    )


def test_what_is_cut_off_does_not_count_and_nonsense_is_not_plain() -> None:
    plain = a_batch()
    assert are_plain(plain + a_batch(transactional=True)[:-1])
    assert not are_plain(b"")
    old = bytearray(plain)
    old[16] = 1
    assert not are_plain(bytes(old))
