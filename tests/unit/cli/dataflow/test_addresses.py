"""Topics, clusters and archives as they are typed."""

import click
import pytest

from barnabas.cli.dataflow.addresses import old_cluster, side
from barnabas.pipelines.sides import ArchiveSide, TopicSide


def test_a_side_is_a_topic_of_a_cluster_or_an_archive() -> None:
    assert side("./archive", "here:1", ()) == ArchiveSide("./archive")
    here, there = side("a,b", "here:1", ("client.id=me",)), side("a@there:2", "here:1", ())
    assert isinstance(here, TopicSide)
    assert isinstance(there, TopicSide)
    assert (list(here.names), here.cluster.bootstrap_servers) == (["a", "b"], "here:1")
    assert here.cluster.client["client.id"] == "me"
    assert (list(there.names), there.cluster.bootstrap_servers) == (["a"], "there:2")


def test_brokers_of_0_7_have_numbers() -> None:
    assert old_cluster(("a:1", "7=b:2"), None).brokers == {0: "a:1", 7: "b:2"}
    with pytest.raises(click.UsageError, match="here"):
        old_cluster(("here",), None)
