"""SQL files as `verify` understands them: streams become plain reads."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors import ParseException

from barnabas.pipelines.projects.definition_list import DefinitionList
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.templates import templates


def listed(text: str) -> DefinitionList:
    found = DefinitionList(None)  # type: ignore[arg-type]
    found.register_sql(text, Path("transformations/a.sql"))
    return found


def test_streams_become_plain_reads() -> None:
    found = listed(
        """
        -- The first; not a statement of its own.
        CREATE STREAMING TABLE a AS SELECT * FROM STREAM b JOIN c USING (id);
        create or refresh materialized view `d` COMMENT 'x' AS WITH e AS (SELECT 1) SELECT * FROM e;
        CREATE TEMPORARY VIEW f AS SELECT * FROM STREAM(g);
        """
    )
    assert [(one.name, one.text) for one in found.flows] == [
        ("a", "SELECT * FROM b JOIN c USING (id)"),
        ("d", "WITH e AS (SELECT 1) SELECT * FROM e"),
    ]
    assert {name: one.text for name, one in found.views.items()} == {"f": "SELECT * FROM g"}
    assert found.unknown == []


def test_literals_stay_as_they_are() -> None:
    found = listed("CREATE MATERIALIZED VIEW a AS SELECT ';--x' AS y; -- end")
    assert [one.text for one in found.flows] == ["SELECT ';--x' AS y"]
    assert found.unknown == []


def test_what_spark_does_not_understand_is_named_with_its_file() -> None:
    def sql(_text: str) -> None:
        raise ParseException("[PARSE_SYNTAX_ERROR] near 'FORM'.")

    found = DefinitionList(SimpleNamespace(sql=sql))  # type: ignore[arg-type]
    found.register_sql("CREATE MATERIALIZED VIEW a AS SELECT 1 FORM b", Path("views/a.sql"))
    with pytest.raises(ProjectError, match=r"^views/a.sql: \[PARSE_SYNTAX_ERROR\] near 'FORM'"):
        found.flows[0].query()


def test_what_is_not_understood_is_named() -> None:
    found = listed("CREATE STREAMING TABLE a;\nCREATE FLOW f AS INSERT INTO a SELECT 1;")
    assert found.unknown == [
        "transformations/a.sql: CREATE STREAMING TABLE a",
        "transformations/a.sql: CREATE FLOW f AS INSERT INTO a SELECT 1",
    ]


def test_the_sql_of_all_templates_is_understood() -> None:
    for template in templates().values():
        for path in template.folder.rglob("*.sql"):
            found = listed(path.read_text())
            assert found.flows
            assert found.unknown == []
