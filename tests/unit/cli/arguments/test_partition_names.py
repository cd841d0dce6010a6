"""Partitions in errors of the client, as commands take them."""

import pytest

from barnabas.cli.arguments.partition_names import in_typed_notation, shown
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition

PLACES = [TopicPartition("dogs", 1), TopicPartition("dogs.old-3", 0)]


@pytest.mark.parametrize(
    ("why", "reported"),
    [
        ("deleting the offset of dogs-1", "deleting the offset of dogs:1"),
        ("dogs-12, dogs.old-3-0: no", "dogs:12, dogs.old-3:0: no"),
        ("hotdogs-1, dogs-1a", "hotdogs-1, dogs-1a"),
    ],
)
def test_an_error_names_partitions_as_they_are_typed(why: str, reported: str) -> None:
    error = BrokerError(ErrorCode.NOT_LEADER_OR_FOLLOWER, why)
    error.add_note("a hint")
    with pytest.raises(BrokerError) as caught, in_typed_notation(PLACES):
        raise error
    assert (caught.value.why, caught.value.code) == (reported, error.code)
    assert caught.value.__notes__ == ["a hint"]
    assert (caught.value is error) == (why == reported)


def test_a_place_is_shown_as_it_is_typed() -> None:
    assert shown(PLACES[0]) == "dogs:1"
