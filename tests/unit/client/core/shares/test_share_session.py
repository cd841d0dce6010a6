from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.client.core.shares.share_session import ClientShareSession, acknowledged_topics
from barnabas.protocol.share_fetch import AcknowledgementBatch, FetchTopic

A, B = TopicIdIndex(b"a" * 16, 0), TopicIdIndex(b"b" * 16, 3)
ROW = AcknowledgementBatch(first_offset=1, last_offset=2, acknowledge_types=[1])


def places(topics: list[FetchTopic]) -> list[tuple[bytes, int]]:
    return [(topic.topic_id, row.partition_index) for topic in topics for row in topic.partitions]


def test_a_session_names_what_is_new_what_is_acknowledged_and_what_is_gone() -> None:
    session = ClientShareSession()
    assert not session.is_open
    topics, forgotten = session.fetched([B, A], {})
    assert places(topics) == [A, B]
    assert forgotten == []
    session.answered()
    assert (session.is_open, session.epoch) == (True, 1)
    topics, _ = session.fetched([A, B], {A: [ROW]})
    assert places(topics) == [A]
    assert topics[0].partitions[0].acknowledgement_batches == [ROW]
    topics, forgotten = session.fetched([A], {B: [ROW]})
    assert places(topics) == [B]
    assert [(row.topic_id, row.partitions) for row in forgotten] == [(B.topic_id, [3])]


def test_after_a_reset_all_is_named_again() -> None:
    session = ClientShareSession()
    session.fetched([A], {})
    session.answered()
    session.reset()
    assert session.epoch == 0
    assert places(session.fetched([A], {})[0]) == [A]


def test_the_epoch_begins_again_at_one() -> None:
    session = ClientShareSession()
    session.epoch = 2**31 - 1
    session.answered()
    assert session.epoch == 1


def test_acknowledgements_alone() -> None:
    (topic,) = acknowledged_topics({A: [ROW]})
    assert topic.topic_id == A.topic_id
    (row,) = topic.partitions[0].acknowledgement_batches
    assert (row.first_offset, row.last_offset, row.acknowledge_types) == (1, 2, [1])
