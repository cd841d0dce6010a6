"""Specs with and without mistakes."""

from pathlib import Path

import pytest

from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import (
    definition_files,
    load_project,
    servers_of,
    topics_of,
)
from barnabas.pipelines.projects.templates import templates, write_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_project(tmp_path / "shop", templates()["medallion"], "localhost:9092")
    return tmp_path / "shop"


def test_a_project_from_a_template(folder: Path) -> None:
    project = load_project(folder)
    assert (project.name, project.storage) == ("shop", folder / "storage")
    assert servers_of(project) == "localhost:9092"
    assert topics_of(project) == {
        "spark.barnabas.source": "orders",
        "spark.barnabas.target": "orders-clean",
    }
    names = [each.name for each in definition_files(project)]
    assert names == ["bronze.py", "clean.py", "gold.sql", "silver.sql"]
    assert load_project(folder / "spark-pipeline.yml") == project


def test_a_folder_without_a_project(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"no spark-pipeline.yml in .*barnabas pipeline init"):
        load_project(tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: [", "is not YAML: .* line 1"),
        ("", "has no `name:`, `storage:` and `libraries:`"),
        ("name: shop", "PIPELINE_SPEC_MISSING_REQUIRED_FIELD.*storage"),
        ("name: a\nstorage: b\nlibrary: c", "UNEXPECTED_FIELD.*library"),
        ("name: a\nstorage: b\nconfiguration: {c: 1}", "value_not_string|STRING.*c"),
        ("name: a\nstorage: b\nlibraries: [glob]", "expected libraries as a list of `- glob:`"),
        ("name: a\nstorage: b\nlibraries: [{glob: {include: x/**}}]", r"finds no .py or .sql file"),
    ],
)
def test_a_spec_with_a_mistake(folder: Path, text: str, problem: str) -> None:
    (folder / "spark-pipeline.yml").write_text(text)
    with pytest.raises(ProjectError, match=problem):
        load_project(folder)


def test_a_project_without_brokers(folder: Path) -> None:
    spec = folder / "spark-pipeline.yml"
    spec.write_text(spec.read_text().replace("spark.barnabas.servers", "spark.servers"))
    with pytest.raises(ProjectError, match=r"has no spark.barnabas.servers: add it"):
        servers_of(load_project(folder))


def test_checkpoints_elsewhere(folder: Path) -> None:
    spec = folder / "spark-pipeline.yml"
    spec.write_text(spec.read_text().replace("file:///", "s3://"))
    with pytest.raises(ProjectError, match=r"storage is s3://"):
        _ = load_project(folder).storage
