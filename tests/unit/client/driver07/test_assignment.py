import pytest

from barnabas.client.driver07.assignment import BrokerPartition, share_of


def partitions(brokers: int, each: int) -> list[BrokerPartition]:
    return [BrokerPartition(broker, index) for broker in range(brokers) for index in range(each)]


def shares(threads: str, places: list[BrokerPartition]) -> list[list[str]]:
    return [[str(one) for one in share_of(thread, threads, places)] for thread in threads]


def test_the_example_of_seed_000() -> None:
    assert shares("ABC", partitions(2, 3)[::-1]) == [["0-0", "0-1"], ["0-2", "1-0"], ["1-1", "1-2"]]


@pytest.mark.parametrize(
    ("places", "sizes"),
    [(16, [4, 4, 4, 4]), (18, [5, 5, 4, 4]), (2, [1, 1, 0, 0]), (0, [0, 0, 0, 0])],
)
def test_the_extra_ones_go_to_the_earlier_consumers(places: int, sizes: list[int]) -> None:
    found = shares("ABCD", partitions(1, places))
    assert [len(share) for share in found] == sizes
    assert len({one for share in found for one in share}) == places


def test_places_are_sorted_as_texts_like_kafka_07_does_it() -> None:
    assert shares("A", [BrokerPartition(2, 0), BrokerPartition(10, 0)]) == [["10-0", "2-0"]]
    assert shares("A", partitions(1, 11))[0][:4] == ["0-0", "0-1", "0-10", "0-2"]


def test_who_is_not_among_the_threads_has_nothing() -> None:
    assert list(share_of("Z", "AB", partitions(1, 4))) == []
    assert list(share_of("Z", "", partitions(1, 4))) == []
