from barnabas.client.core.cluster.cluster_view import Broker, ClusterView
from barnabas.errors import ErrorCode
from barnabas.protocol.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from barnabas.types import TopicPartition

T0 = TopicPartition("t", 0)


def response(
    leader: int = 1,
    epoch: int = 5,
    *,
    topic_id: bytes = bytes(16),
    error: ErrorCode = ErrorCode.NONE,
) -> MetadataResponse:
    partitions = [
        MetadataResponsePartition(
            error_code=0,
            partition_index=0,
            leader_id=leader,
            leader_epoch=epoch,
            replica_nodes=[1, 2],
            isr_nodes=[1],
        )
    ]
    return MetadataResponse(
        brokers=[MetadataResponseBroker(node_id=id_, host="h", port=id_) for id_ in (1, 2)],
        topics=[
            MetadataResponseTopic(
                error_code=error,
                name="t",
                topic_id=topic_id,
                partitions=[] if error else partitions,
            )
        ],
    )


def viewed(*responses: MetadataResponse) -> ClusterView:
    view = ClusterView(max_age_s=10)
    for each in responses:
        view.update(each, now=100.0)
    return view


def test_the_leader_is_a_broker_with_its_address() -> None:
    assert viewed(response(leader=2)).leader(T0) == Broker(2, "h", 2)


def test_metadata_is_due_when_stale_or_old() -> None:
    view = viewed(response())
    assert not view.is_due(109.9)
    assert view.is_due(110.0)
    view.stale = True
    assert view.is_due(100.0)


def test_a_leader_of_an_older_epoch_is_not_believed() -> None:
    view = viewed(response(leader=2, epoch=6), response(leader=1, epoch=5))
    assert view.leader(T0) == Broker(2, "h", 2)
    view.update(response(leader=1, epoch=7), now=0)
    assert view.leader(T0) == Broker(1, "h", 1)


def test_epochs_begin_again_when_a_topic_is_made_again() -> None:
    view = viewed(response(leader=2, epoch=6, topic_id=b"a" * 16))
    view.update(response(leader=1, epoch=0, topic_id=b"b" * 16), now=0)
    assert view.leader(T0) == Broker(1, "h", 1)
    assert view.topic_named(b"b" * 16) == "t"
    assert view.topic_named(b"a" * 16) is None


def test_leaders_outlive_an_error_that_passes() -> None:
    view = viewed(response(), response(error=ErrorCode.LEADER_NOT_AVAILABLE))
    assert view.leader(T0) is not None
    view.update(response(error=ErrorCode.INVALID_TOPIC_EXCEPTION), now=0)
    assert view.leader(T0) is None
    assert view.topics["t"].error is ErrorCode.INVALID_TOPIC_EXCEPTION


def test_a_leader_named_along_with_an_error_is_taken_if_it_is_news() -> None:
    view = viewed(response(leader=1, epoch=5))
    assert not view.adopt_leader(T0, 2, 5)
    assert view.adopt_leader(T0, 2, 6)
    assert view.leader(T0) == Broker(2, "h", 2)
    assert not view.adopt_leader(T0, 3, 7), "the address of broker 3 is unknown"
    view.adopt_broker(Broker(3, "h", 3))
    assert view.leader(T0) == Broker(3, "h", 3)


def test_forgotten_topics_are_gone() -> None:
    view = viewed(response(topic_id=b"a" * 16))
    view.forget(["t", "unknown"])
    assert view.partition("t", 0) is None
    assert view.topic_named(b"a" * 16) is None


def test_a_partition_is_found_by_its_number_where_others_are_missing() -> None:
    reported = response()
    reported.topics[0].partitions[0].partition_index = 3
    view = viewed(reported)
    last = TopicPartition("t", 3)
    assert view.leader(last) == Broker(1, "h", 1)
    assert view.leader(T0) is None
    assert view.adopt_leader(last, 2, 6)
    assert view.leader(last) == Broker(2, "h", 2)


def test_a_partial_response_leaves_the_view_as_old_as_it_was() -> None:
    view = ClusterView(max_age_s=10)
    view.update(response(), now=0.0)
    view.update(response(leader=2), now=9.0, partial=True)
    assert view.leader(T0) == Broker(2, "h", 2)
    assert not view.is_due(9.5)
    assert view.is_due(10.0)
    view.stale = True
    view.update(response(), now=10.0, partial=True)
    assert view.stale


def test_only_news_is_news() -> None:
    view = ClusterView()
    responses = [response(), response(), response(leader=2, epoch=6), response(leader=-1, epoch=5)]
    assert [view.update(each, now=1.0) for each in responses] == [True, False, True, False]
    assert view.update(response(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION), now=1.0)
    other = MetadataResponse(brokers=response().brokers[:1], topics=[])
    assert view.update(other, now=1.0)
    assert not view.update(other, now=1.0)
