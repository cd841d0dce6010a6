import pytest

from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.consumer.offset_reset import BY_AGE, reset_of
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "reset"),
    [
        ("earliest", (EARLIEST, 0)),
        ("Latest", (LATEST, 0)),
        ("none", (None, 0)),
        ("by_duration:PT1H", (BY_AGE, 3_600_000)),
        ("by_duration:P7DT3M0.5S", (BY_AGE, 7 * 86_400_000 + 180_500)),
    ],
)
def test_where_to_begin(text: str, reset: tuple[int | None, int]) -> None:
    assert reset_of(text) == reset


@pytest.mark.parametrize(
    "text", ["", "soon", "by_duration:", "by_duration:P", "by_duration:PT", "by_duration:1H"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="by_duration: and a time such as PT1H"):
        reset_of(text)
