from barnabas.client.core.consumer.fetch_session import ClientFetchSession, PartitionFetch
from barnabas.types import TopicPartition

A, B = TopicPartition("t", 0), TopicPartition("t", 1)


def wish(offset: int, topic_id: bytes = b"i" * 16) -> PartitionFetch:
    return PartitionFetch(topic_id, offset, 1, 1000)


def test_a_new_session_names_everything_and_then_only_what_changed() -> None:
    session = ClientFetchSession()
    first = session.request({A: wish(0), B: wish(0)})
    assert (first.session_id, first.epoch, set(first.changed)) == (0, 0, {A, B})
    session.answered(77)
    second = session.request({A: wish(5), B: wish(0)})
    assert (second.session_id, second.epoch, second.changed) == (77, 1, {A: wish(5)})
    assert not second.forgotten
    session.answered(77)
    third = session.request({B: wish(0)})
    assert (third.epoch, dict(third.changed), set(third.forgotten)) == (2, {}, {A})


def test_a_topic_made_again_is_forgotten_under_its_old_id() -> None:
    session = ClientFetchSession()
    session.request({A: wish(0)})
    session.answered(77)
    again = session.request({A: wish(0, b"j" * 16)})
    assert again.changed == {A: wish(0, b"j" * 16)}
    assert again.forgotten == {A: wish(0)}


def test_without_a_session_on_the_broker_everything_is_named_each_time() -> None:
    session = ClientFetchSession()
    session.request({A: wish(0)})
    session.answered(0)
    again = session.request({A: wish(0)})
    assert (again.session_id, again.epoch, set(again.changed)) == (0, 0, {A})


def test_epochs_go_round_without_passing_0() -> None:
    session = ClientFetchSession()
    session.answered(77)
    session._epoch = 2**31 - 1
    session.answered(77)
    assert session.request({}).epoch == 1


def test_a_session_that_a_broker_keeps_is_ended_once() -> None:
    session = ClientFetchSession()
    assert session.end() is None
    session.request({})
    session.answered(7)
    last = session.end()
    assert last is not None
    assert (last.session_id, last.epoch) == (7, -1)
    assert session.end() is None
