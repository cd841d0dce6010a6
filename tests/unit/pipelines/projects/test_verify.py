"""Outputs that cannot be compared are left out with a reason, and the others are compared."""

from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.pipelines.output import Sink
from pyspark.pipelines.source_code_location import SourceCodeLocation
from pyspark.sql import SparkSession

from barnabas.pipelines.projects import verify
from barnabas.pipelines.projects.definition_list import DefinitionList

NOWHERE = cast(SparkSession, None)


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        ("console", {"topic": "t"}, "a sink of format console is not compared"),
        (
            "barnabas",
            {"includeHeaders": "true"},
            "a sink whose rows name their topics is not compared",
        ),
    ],
)
def test_a_sink_that_cannot_be_read_again_is_noted(
    source: str, options: dict[str, Any], why: str
) -> None:
    definitions = DefinitionList(NOWHERE)
    here = SourceCodeLocation(filename=str(Path(__file__)), line_number=1)
    definitions.register_output(
        Sink(name="out", comment=None, source_code_location=here, format=source, options=options)
    )
    found = verify._check(NOWHERE, definitions, {}, "out", [])
    assert (found.note, found.found, found.right) == (why, None, True)
