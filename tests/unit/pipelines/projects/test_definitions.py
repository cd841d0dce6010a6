"""Files with mistakes, and the first sentence of an error of Spark's."""

from pathlib import Path

import pytest
from pyspark.pipelines.graph_element_registry import GraphElementRegistry

from barnabas.pipelines.projects.definitions import register, sentence
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import load_project
from barnabas.pipelines.projects.templates import templates, write_project

SINK = """from pyspark import pipelines as dp

options = {'kafka.bootstrap.servers': 'localhost:9092', 'tpic': 'a'}
dp.create_sink('out', 'barnabas', options)
"""


class Nothing(GraphElementRegistry):
    """Keeps nothing of what is defined."""

    def register_output(self, output: object) -> None: ...

    def register_flow(self, flow: object) -> None: ...

    def register_auto_cdc_flow(self, flow: object) -> None: ...

    def register_sql(self, sql_text: str, file_path: Path) -> None: ...


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\n\nx = nothing\n", r"copy.py, line 3: NameError: name 'nothing' is not defined"),
        ("def f(:\n", r"copy.py, line 1: invalid syntax"),
        (
            SINK,
            r"copy.py, line 4: OptionError: .BARNABAS_OPTION. option 'tpic': .*'?topic",
        ),
        ("import no_such\n", r"copy.py, line 1: ModuleNotFoundError: No module named 'no_such'"),
    ],
)
def test_a_mistake_has_its_line(tmp_path: Path, text: str, problem: str) -> None:
    write_project(tmp_path / "shop", templates()["copy"], "localhost:9092")
    (tmp_path / "shop/transformations/copy.py").write_text(text)
    with pytest.raises(ProjectError, match=problem):
        register(load_project(tmp_path / "shop"), Nothing(), None)


def test_sinks_of_other_formats_and_right_ones_of_ours_pass(tmp_path: Path) -> None:
    write_project(tmp_path / "shop", templates()["copy"], "localhost:9092")
    (tmp_path / "shop/transformations/copy.py").write_text(
        "from pyspark import pipelines as dp\n\n"
        "servers = {'kafka.bootstrap.servers': 'localhost:9092'}\n"
        "dp.create_sink('out', 'barnabas', {**servers, 'TOPIC': 'a', 'kafka.linger.ms': 5})\n"
        "dp.create_sink('lines', 'console', {'tpic': 'a'})\n"
    )
    register(load_project(tmp_path / "shop"), Nothing(), None)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("[TABLE_NOT_FOUND] No table.\n== SQL ==\nSELECT", "[TABLE_NOT_FOUND] No table."),
        ("Job aborted\nCaused by: [BARNABAS_NO_TOPIC] gone\n\tat x", "[BARNABAS_NO_TOPIC] gone"),
        (
            '<Rendezvous of RPC that terminated with:\n\tstatus = X\n\tdetails = "no class"\n\tdebug',
            "no class",
        ),
    ],
)
def test_the_first_sentence(text: str, first: str) -> None:
    assert sentence(text) == first
