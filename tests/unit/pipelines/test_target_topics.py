"""Names of topics in the target."""

import pytest

from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.target_topics import target_names


def test_a_topic_keeps_its_name_unless_it_gets_another() -> None:
    assert target_names(["b", "a"], {"a": "c"}) == {"a": "c", "b": "b"}


@pytest.mark.parametrize(
    ("names", "why"),
    [({"x": "y"}, "x was given another name"), ({"a": "b"}, "a and b would both be b")],
)
def test_names_that_cannot_be_are_refused(names: dict[str, str], why: str) -> None:
    with pytest.raises(PipelineRefused, match=why):
        target_names(["a", "b"], names)
