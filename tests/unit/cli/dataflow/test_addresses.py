"""Topics, clusters and archives as they are typed."""

import click
import pytest

from barnabas import Admin, NewTopic
from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.dataflow.addresses import check_old_cluster, checked_side, old_cluster
from barnabas.errors import BrokerError, ConnectionFailed
from barnabas.pipelines.sides import ArchiveSide, TopicSide
from barnabas.testing.embedded_broker import EmbeddedBroker


def test_a_side_is_a_topic_of_a_cluster_or_an_archive() -> None:
    assert checked_side("./archive", "127.0.0.1:1", ()) == ArchiveSide("./archive")
    with EmbeddedBroker() as broker:
        there = broker.bootstrap_servers
        with Admin(bootstrap_servers=there) as admin:
            admin.create_topics([NewTopic("a", 1), NewTopic("b", 1)])
        first = checked_side("a,b", there, ("client.id=me",))
        second = checked_side(f"a@{there}", "127.0.0.1:1", ())
    assert isinstance(first, TopicSide)
    assert isinstance(second, TopicSide)
    assert (list(first.names), first.cluster.bootstrap_servers) == (["a", "b"], there)
    assert first.cluster.client["client.id"] == "me"
    assert (list(second.names), second.cluster.bootstrap_servers) == (["a"], there)


def test_a_side_without_a_broker_or_a_topic_is_refused_before_spark_starts() -> None:
    soon = ("bootstrap.refused.timeout.ms=0",)
    with pytest.raises(ConnectionFailed, match=r"no broker at 127\.0\.0\.1:1 ") as caught:
        checked_side("a@127.0.0.1:1", "localhost:9092", soon)
    assert with_hints(caught.value).endswith(", or name another with a@HOST:PORT")
    with EmbeddedBroker() as broker:
        there = broker.bootstrap_servers
        with pytest.raises(BrokerError, match="there is no topic nobody") as missing:
            checked_side(f"nobody@{there}", "127.0.0.1:1", ())
    assert with_hints(missing.value).endswith(f"the brokers of nobody@HOST:PORT are {there}")


def test_brokers_of_0_7_have_numbers() -> None:
    assert old_cluster(("a:1", "7=b:2"), None).brokers == {0: "a:1", 7: "b:2"}
    with pytest.raises(click.UsageError, match="here"):
        old_cluster(("here",), None)


def test_brokers_of_0_7_that_do_not_answer_are_named_with_their_option() -> None:
    with EmbeddedBroker(profile="0.7") as broker:
        check_old_cluster(old_cluster((broker.bootstrap_servers,), None), "dogs", "--from-07")
    with EmbeddedBroker() as broker:
        there = broker.bootstrap_servers
        for brokers in (("127.0.0.1:1",), (there,)):
            with pytest.raises(ConnectionFailed) as caught:
                check_old_cluster(old_cluster(brokers, None), "dogs", "--from-07")
            hinted = f"Kafka 0.7 answers at {brokers[0]}, or name another broker with --from-07"
            assert with_hints(caught.value).endswith(hinted)
