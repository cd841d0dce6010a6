import pytest

from barnabas.client.core.cluster.cluster_view import ClusterView, TopicView
from barnabas.client.core.cluster.topic_ids import BY_NAME, TopicIds
from barnabas.errors import RemoteProtocolError
from barnabas.protocol.offset_commit import OffsetCommitResponseTopic
from barnabas.wire.schema import NO_UUID

T, U = b"T" * 16, b"U" * 16


def row(name: str = "", topic_id: bytes = NO_UUID) -> OffsetCommitResponseTopic:
    return OffsetCommitResponseTopic(name=name, topic_id=topic_id, partitions=[])


def view(**ids: bytes) -> ClusterView:
    made = ClusterView()
    made.topics = {name: TopicView(name, topic_id) for name, topic_id in ids.items()}
    return made


def test_all_topics_have_an_id_or_all_go_by_name() -> None:
    all_known = TopicIds.in_view(view(t=T, u=U), ["t", "u"])
    assert all_known
    assert (all_known.of("t"), all_known.of("u")) == (T, U)
    for known in (view(t=T), view(t=T, u=NO_UUID)):
        some = TopicIds.in_view(known, ["t", "u"])
        assert not some
        assert some.of("t") == NO_UUID
    assert not TopicIds.in_view(view(t=T), [])


def test_answers_say_names_or_ids() -> None:
    ids = TopicIds.in_view(view(t=T), ["t"])
    assert ids.name_of(row("t")) == "t"
    assert ids.name_of(row(topic_id=T)) == "t"
    assert BY_NAME.name_of(row("u")) == "u"


def test_an_answer_about_what_was_not_asked_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match=U.hex()):
        TopicIds.in_view(view(t=T), ["t"]).name_of(row(topic_id=U))
