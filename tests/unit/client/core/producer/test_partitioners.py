import pytest

from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView
from barnabas.client.core.producer.partitioners import StickyPartitions, checked, partition_of_key
from barnabas.errors import BrokerError

pytestmark = pytest.mark.kernels


class Scripted:
    """Chance with given numbers."""

    def __init__(self, *draws: int) -> None:
        self._draws = list(draws)
        self.bounds: list[int] = []

    def below(self, bound: int) -> int:
        self.bounds.append(bound)
        return self._draws.pop(0)

    def fraction(self) -> float:
        return 0.0

    def uuid(self) -> bytes:
        return bytes(16)


def topic(*leaders: int) -> TopicView:
    partitions = tuple(PartitionView("t", index, leader) for index, leader in enumerate(leaders))
    return TopicView("t", partitions=partitions)


@pytest.mark.parametrize(
    ("key", "murmur2"),
    # From Kafka's own tests of its hash.
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536)],
)
def test_keys_go_where_the_java_client_sends_them(key: bytes, murmur2: int) -> None:
    assert partition_of_key(key, 100) == (murmur2 & 0x7FFFFFFF) % 100


def test_a_partition_that_is_not_there_is_refused() -> None:
    assert checked(topic(1, 1), 1) == 1
    with pytest.raises(BrokerError, match="has partitions 0 to 1, not 2"):
        checked(topic(1, 1), 2)


def test_a_partition_is_kept_until_a_batch_of_bytes_went_there() -> None:
    sticky = StickyPartitions(100, Scripted(1, 0))
    view = topic(1, 1)
    assert sticky.of(view, lambda _: 0) == 1
    sticky.appended("t", 1, 60)
    assert sticky.of(view, lambda _: 0) == 1
    sticky.appended("t", 1, 40)
    assert sticky.of(view, lambda _: 0) == 0


def test_longer_queues_are_chosen_less_often_and_leaderless_partitions_not() -> None:
    chance = Scripted(3)
    sticky = StickyPartitions(100, chance)
    assert sticky.of(topic(1, -1, 1), {0: 2, 2: 0}.__getitem__) == 2
    assert chance.bounds == [1 + 3]
