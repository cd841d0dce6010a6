"""The rows of ROUTES: handlers that are imported late are where their row says."""

from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from barnabas.broker import apis
from barnabas.broker.dispatch import ROUTES
from barnabas.protocol.api_keys import ApiKey


def test_each_handler_has_a_row_and_each_row_a_handler() -> None:
    there = {file.stem for file in Path(apis.__path__[0]).glob("*.py")} - {"__init__"}
    assert there == {key.name.lower() for key in ROUTES}


@pytest.mark.parametrize("key", ROUTES, ids=lambda key: key.name.lower())
def test_a_row_asks_the_handler_of_its_api(key: ApiKey) -> None:
    name = key.name.lower()
    handler = import_module(f"barnabas.broker.apis.{name}").handle
    handle = ROUTES[key].handle
    assert handle is handler or (isinstance(handle, partial) and handle.args == (name,))
