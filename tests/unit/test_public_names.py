"""Former public names are aliases for one release."""

from importlib import import_module

import pytest

import barnabas
from barnabas import driver07, driver_proposal


def test_former_names_are_aliases() -> None:
    assert barnabas.Wanted is barnabas.ColumnSelection
    assert driver07.Asked is driver07.FetchStart07
    assert driver_proposal.From is driver_proposal.FetchStart


@pytest.mark.parametrize(
    "package",
    ["barnabas", "barnabas.aio", "barnabas.pipelines", "barnabas.spark", "barnabas.testing"],
)
def test_each_public_name_is_found_where_it_is_looked_for(package: str) -> None:
    # Most are imported on first use, from modules that are named in texts.
    module = import_module(package)
    assert {name for name in module.__all__ if getattr(module, name, None) is None} == set()
