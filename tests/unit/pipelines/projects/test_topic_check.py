"""Topics that a project reads, before Spark is started."""

from pathlib import Path

import pytest

from barnabas import Admin, NewTopic
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import load_project
from barnabas.pipelines.projects.templates import templates, write_project
from barnabas.pipelines.projects.topic_check import check_sources
from barnabas.testing import EmbeddedBroker


def test_a_project_that_would_feed_itself_is_refused(tmp_path: Path) -> None:
    write_project(tmp_path / "shop", templates()["copy"], "127.0.0.1:1")
    spec = tmp_path / "shop/spark-pipeline.yml"
    spec.write_text(spec.read_text().replace("orders-copy", "orders"))
    words = "spark.barnabas.source and spark.barnabas.target are both orders.*another topic"
    with pytest.raises(ProjectError, match=words):
        check_sources(load_project(tmp_path / "shop"))


def test_a_topic_that_is_read_must_be_there_and_one_that_is_written_need_not(
    tmp_path: Path,
) -> None:
    with EmbeddedBroker() as broker:
        write_project(tmp_path / "shop", templates()["copy"], broker.bootstrap_servers)
        project = load_project(tmp_path / "shop")
        with pytest.raises(ProjectError, match="spark.barnabas.source is orders, but there is no"):
            check_sources(project)
        with Admin({"bootstrap.servers": broker.bootstrap_servers}) as admin:
            admin.create_topics([NewTopic("orders", 1)])
        check_sources(project)
