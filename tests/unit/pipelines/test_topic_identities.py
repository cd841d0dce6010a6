"""Whether a pipeline goes on with the topics that it began with."""

import pytest

from barnabas import Admin, NewTopic
from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.topic_identities import TopicIdentity, check_same, identities
from barnabas.testing import EmbeddedBroker

KEPT = TopicIdentity("target", "t", "m1", "cluster", "0a")


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (KEPT._replace(name="m2"), "writes t to m1, not to m2"),
        (KEPT._replace(cluster="other"), "of the cluster cluster, and the target is .* other now"),
        (KEPT._replace(id="0b"), "a topic m1 that is gone from the target"),
        (KEPT._replace(id=None), "a topic m1 that is gone from the target"),
    ],
)
def test_another_topic_is_refused(now: TopicIdentity, words: str) -> None:
    with pytest.raises(PipelineRefused, match=f"what ./work keeps .*{words}.*another directory"):
        check_same([KEPT], [now], "./work")


def test_the_same_topic_and_new_ones_are_accepted() -> None:
    """Brokers that know no ids, of which one is asked now or was then, show no difference."""
    new = TopicIdentity("target", "other", "m3", "cluster", None)
    check_same([KEPT], [KEPT, new], "./work")
    check_same([KEPT], [KEPT._replace(cluster="", id="")], "./work")
    check_same([KEPT._replace(id="")], [KEPT], "./work")


def test_a_topic_that_is_made_anew_has_another_id() -> None:
    with (
        EmbeddedBroker() as broker,
        Admin({"bootstrap.servers": broker.bootstrap_servers}) as admin,
    ):
        assert identities(admin, "source", {"t": "t"})[0].id is None
        admin.create_topics([NewTopic("t", 1)])
        (first,) = identities(admin, "source", {"t": "t"})
        assert first.cluster == admin.describe_cluster().cluster_id
        assert first == identities(admin, "source", {"t": "t"})[0]
        admin.delete_topics(["t"])
        admin.create_topics([NewTopic("t", 1)])
        (second,) = identities(admin, "source", {"t": "t"})
    with pytest.raises(PipelineRefused, match="is another topic"):
        check_same([first], [second], "./work")
