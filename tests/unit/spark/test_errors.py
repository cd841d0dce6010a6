"""How errors leave the connector: as a sentence, where a process of Spark's is to format them."""

import os

import pytest

from barnabas.errors import ConnectionFailed, ErrorCode
from barnabas.spark.errors import OptionError, Unreachable, WriteRefused, briefly, writing

HIDES = "SPARK_HIDE_TRACEBACK"


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HIDES, "")
    monkeypatch.delenv("SPARK_PYTHON_RUNTIME", raising=False)


def test_our_errors_go_up_without_a_traceback_in_sparks_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(OptionError), briefly():
        raise OptionError("topic", "is empty")
    assert not os.environ[HIDES]
    monkeypatch.setenv("SPARK_PYTHON_RUNTIME", "PYTHON_WORKER")
    with pytest.raises(ZeroDivisionError), briefly():
        _ = 1 / 0
    assert not os.environ[HIDES]
    with pytest.raises(OptionError), briefly():
        raise OptionError("topic", "is empty")
    assert os.environ[HIDES]


def test_what_fails_in_writing_gets_its_code() -> None:
    with pytest.raises(Unreachable, match=r"^\[BARNABAS_UNREACHABLE\] gone"), writing():
        raise ConnectionFailed("gone")
    with pytest.raises(WriteRefused, match=r"^\[BARNABAS_WRITE\] no") as raised, writing():
        raise WriteRefused("no")
    assert raised.value.code is ErrorCode.INVALID_RECORD
