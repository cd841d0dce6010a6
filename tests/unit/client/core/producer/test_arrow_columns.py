import sys
from typing import Any

import pytest

from barnabas.client.core.producer.arrow_columns import ColumnNames
from barnabas.errors import ConfigError, LocalProtocolError


def chosen(table: Any, **names: Any) -> list[dict[str, Any]]:
    return list(ColumnNames(**names).chunks(table))


def test_columns_are_chosen_by_what_they_are_for() -> None:
    pa = pytest.importorskip("pyarrow")
    words = pa.array(["a", "b"]).dictionary_encode()
    table = pa.table({"key": pa.array([b"k", None], pa.large_binary()), "v": words, "more": [1, 2]})
    (found,) = chosen(table, value="v", partition=3)
    assert set(found) == {"key", "value", "partition"}
    assert found["partition"].to_pylist() == [3, 3]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"value": [1]}, "column 'value' is int64; for value it must be bytes or text"),
        ({"value": ["a"], "key": [1.5]}, "column 'key' is double"),
        ({"value": ["a"], "timestamp": ["now"]}, "column 'timestamp' is string"),
        ({"value": ["a"], "headers": ["h"]}, "column 'headers' is string"),
        ({"value": ["a"], "p": ["0"]}, "column 'p' is string; for partition it must be integers"),
    ],
)
def test_a_column_of_another_type_is_named(columns: dict[str, Any], words: str) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match=words):
        chosen(pa.table(columns), partition="p" if "p" in columns else None)


def test_what_is_no_table_is_named() -> None:
    with pytest.raises(TypeError, match=r"not dict: pyarrow\.table"):
        chosen({"value": [b"a"]})


def test_a_table_without_key_and_value_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(LocalProtocolError, match=r"there are \['v'\]"):
        chosen(pa.table({"v": ["a"]}))


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lacking:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "pyarrow":
                raise ModuleNotFoundError("No module named 'pyarrow'", name=name)

    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Lacking(), *sys.meta_path])
    with pytest.raises(ConfigError, match=r"pip install 'barnabas\[arrow\]'"):
        chosen(None)
