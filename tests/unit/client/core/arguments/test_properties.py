import pytest

from barnabas.client.core.arguments.properties import properties
from barnabas.errors import ConfigError


def test_both_ways_to_give_properties_are_joined() -> None:
    given = properties({"linger.ms": 1}, {"batch_size": 2})
    assert given == {"linger.ms": 1, "batch.size": 2}
    with pytest.raises(ConfigError, match=r"linger\.ms is given twice"):
        properties({"linger.ms": 1}, {"linger_ms": 1})


@pytest.mark.parametrize("odd", ["localhost:9092", ["localhost:9092"], 9092])
def test_an_address_alone_is_no_mapping(odd: object) -> None:
    with pytest.raises(TypeError, match="as bootstrap_servers='localhost:9092', not"):
        properties(odd, {})  # type: ignore[arg-type]
