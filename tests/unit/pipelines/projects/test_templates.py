"""Projects as they are written from templates."""

import ast
from pathlib import Path

import pytest
import yaml

from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.templates import SPEC, templates, write_project

SERVERS = "broker-1:9092,broker-2:9092"


def test_all_templates_have_a_summary() -> None:
    assert {"copy", "dead-letters", "latest", "medallion", "windows"} <= set(templates())
    assert all(one.summary and one.summary[0] != "#" for one in templates().values())


@pytest.mark.parametrize("name", templates())
def test_a_project_is_whole(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "my shop"
    written = write_project(folder, templates()[name], SERVERS)
    assert {folder / each for each in written} == {f for f in folder.rglob("*") if f.is_file()}
    spec = yaml.safe_load((folder / SPEC).read_text())
    assert spec["name"] == "my shop"
    assert spec["storage"] == (folder / "storage").as_uri()
    assert spec["configuration"]["spark.barnabas.servers"] == SERVERS
    assert all(isinstance(each, str) for each in spec["configuration"].values())
    for path in folder.glob("transformations/*.py"):
        ast.parse(path.read_text())
    assert list(folder.glob("transformations/*"))


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/mine").write_text("mine")
    with pytest.raises(ProjectError, match="shop exists already: choose another name"):
        write_project(tmp_path / "shop", templates()["copy"], SERVERS)
    assert [each.name for each in (tmp_path / "shop").iterdir()] == ["mine"]


def test_a_path_that_spark_would_misread_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="no quotes, semicolons or dollars"):
        write_project(tmp_path / "a;b", templates()["copy"], SERVERS)
