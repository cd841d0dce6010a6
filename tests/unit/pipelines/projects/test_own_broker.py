"""A broker for the time of a run, at the project's address and with its topics."""

import socket
from pathlib import Path

import pytest

from barnabas import Admin
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.own_broker import own_broker
from barnabas.pipelines.projects.project import Project, load_project
from barnabas.pipelines.projects.templates import templates, write_project
from barnabas.pipelines.projects.topic_check import check_sources


@pytest.fixture
def servers() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def project(folder: Path, servers: str) -> Project:
    write_project(folder, templates()["copy"], servers)
    return load_project(folder)


def test_it_has_the_projects_topics(tmp_path: Path, servers: str) -> None:
    copy = project(tmp_path / "shop", servers)
    for _ in range(2):
        with own_broker(copy, tmp_path / "data") as address:
            assert address == servers
            with Admin(bootstrap_servers=servers) as admin:
                assert admin.list_topics() == ["orders", "orders-copy"]
            check_sources(copy)


def test_a_taken_address_is_named(tmp_path: Path, servers: str) -> None:
    copy = project(tmp_path / "shop", servers)
    with (
        own_broker(copy, tmp_path / "data"),
        pytest.raises(ProjectError, match=f"no broker can be started at {servers}: "),
        own_broker(copy, tmp_path / "other"),
    ):
        pass


def test_one_address_only(tmp_path: Path) -> None:
    many = project(tmp_path / "shop", "a:1,b:2")
    with (
        pytest.raises(ProjectError, match="needs one address, not a:1,b:2"),
        own_broker(many, tmp_path / "data"),
    ):
        pass
