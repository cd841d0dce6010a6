import pytest

from barnabas.coordinators.offsets.partitioning import partition_for

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(
    ("group_id", "hashed"),
    [
        # What Java's String.hashCode gives, without its sign; polygenelubricants has -2^31.
        ("", 0),
        ("a", 97),
        ("corpus-group", 1081962438),
        ("dogs-and-cats", 87347223),
        ("dogs-and-cats-2", 1958666062),
        ("polygenelubricants", 0),
        ("\N{DOG FACE}", 1772441),
    ],
)
def test_a_group_goes_where_java_puts_it(group_id: str, hashed: int) -> None:
    assert partition_for(group_id, 2**31) == hashed
    assert partition_for(group_id, 50) == hashed % 50
