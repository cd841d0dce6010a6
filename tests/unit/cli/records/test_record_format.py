from types import SimpleNamespace

import pytest

from barnabas.cli.records.record_format import formatter
from barnabas.errors import ConfigError

RECORD = SimpleNamespace(
    topic="dogs", partition=3, offset=17, timestamp=5, key=b"rex", value=None, headers=[("a", b"1")]
)


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        (r"%t[%p]@%o\n", b"dogs[3]@17\n"),
        ("%k=%s %K %S", b"rex= 3 -1"),
        ("%T %h 100%%", b"5 a=1 100%"),
        ("%%s", b"%s"),
        ("", b""),
    ],
)
def test_letters(template: str, shown: bytes) -> None:
    assert formatter(template)(RECORD) == shown


@pytest.mark.parametrize("template", ["%x", "%"])
def test_a_letter_that_means_nothing_is_refused(template: str) -> None:
    with pytest.raises(ConfigError, match="expected one of s k t p o T S K h %"):
        formatter(template)
