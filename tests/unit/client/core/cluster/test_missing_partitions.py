from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView
from barnabas.client.core.cluster.missing_partitions import describe_missing
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition
from barnabas.wire.schema import NO_UUID


def topic(name: str, count: int) -> TopicView:
    partitions = tuple(PartitionView(name, each, 1, 0, (1,), (1,)) for each in range(count))
    return TopicView(name, NO_UUID, internal=False, error=ErrorCode.NONE, partitions=partitions)


TOPICS = {each.name: each for each in (topic("events", 3), topic("single", 1))}


def reported(*wanted: tuple[str, int]) -> str:
    return describe_missing([TopicPartition(*each) for each in wanted], TOPICS)


def test_what_is_not_there_is_named_with_what_may_have_been_meant() -> None:
    assert reported(("event", 0), ("event", 1)) == "there is no topic event, did you mean events?"
    assert reported(("other", 0)) == "there is no topic other (list_topics lists them)"


def test_of_a_topic_that_is_there_the_error_names_its_partitions() -> None:
    assert reported(("events", 3), ("events", 0)) == "events has 3 partitions, counted from 0"
    assert reported(("single", 1), ("events", 2)) == "single has 1 partition, counted from 0"


def test_what_has_come_meanwhile_is_there() -> None:
    assert reported(("events", 2)) == "by now all of them exist: try again"
