import pytest

from barnabas.config.releases import RELEASES, is_before, release_line
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0.8.2", "0.8.2"), ("0.8.2.2", "0.8.2"), ("0.9", "0.9.0"), ("0.11", "0.11.0"),
        ("0.10.2.1", "0.10.2"), ("2.8", "2.8"), ("2.8.2", "2.8"), ("4.3.0", "4.3"),
    ],
)  # fmt: skip
def test_a_release_belongs_to_a_line(text: str, line: str) -> None:
    assert release_line(text) == line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0.10", "0.10.0, 0.10.1, 0.10.2$"),
        ("5.0", "0.8.0, .* 4.3$"),
        ("2.8.2.1", "0.8.0"),
        ("", "0.8"),
    ],
)
def test_what_is_no_line_is_refused_with_those_it_may_mean(text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        release_line(text)


def test_lines_are_in_order() -> None:
    assert is_before("0.9.0", "0.10.0")
    assert not is_before("2.8", "2.8")
    assert list(RELEASES) == sorted(
        RELEASES, key=lambda one: [int(part) for part in one.split(".")]
    )
