import pytest

from barnabas.broker.replicas.own_batch import OwnBatch, batch_bytes, most_bytes, parts
from barnabas.coordinators.common.shard import CoordinatorRecord

RECORDS = [
    CoordinatorRecord(b"k" * length, None if length % 3 else b"v" * (length * 7))
    for length in (0, 1, 63, 64, 9000)
]


@pytest.mark.parametrize("count", range(len(RECORDS) + 1))
def test_a_batch_has_the_size_that_is_known_before_it_is_made(count: int) -> None:
    own = OwnBatch(0)
    own.add(RECORDS[:count], lambda _code: None)
    assert batch_bytes(RECORDS[:count]) == own.records.size <= most_bytes(RECORDS[:count])


def test_records_that_need_not_be_together_are_in_as_few_batches_as_can_be() -> None:
    many = [CoordinatorRecord(b"k" * 50, None)] * 40
    made = list(parts(many, 1000))
    assert [one for part in made for one in part] == many
    assert max(map(batch_bytes, made)) <= 1000
    assert len(made) == 4
    assert list(parts([], 1000)) == []


def test_a_record_that_fits_nowhere_is_alone() -> None:
    small, large = CoordinatorRecord(b"k", None), CoordinatorRecord(b"k", b"v" * 1000)
    assert list(parts([small, large, small], 500)) == [[small], [large], [small]]
