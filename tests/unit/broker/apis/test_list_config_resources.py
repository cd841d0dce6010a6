import pytest

from barnabas.broker.apis.list_config_resources import handle
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.errors import ErrorCode
from barnabas.protocol.list_config_resources import ListConfigResourcesRequest
from tests.unit.broker.changes import change_properties
from tests.unit.broker.in_memory import a_broker, asked


@pytest.mark.parametrize(
    ("version", "kinds", "listed"),
    [
        (0, [], [("sub", 16)]),
        (1, [2], [("dogs", 2)]),
        (1, [4, 4], [("1", 4)]),
        (1, [8], []),
        (1, [16, 32], [("sub", 16), ("g", 32)]),
        (1, [], [("dogs", 2), ("1", 4), ("sub", 16), ("g", 32)]),
    ],
)
def test_resources_are_listed_by_type(
    version: int, kinds: list[int], listed: list[tuple[str, int]]
) -> None:
    broker = a_broker()
    broker.topics.create("dogs", {0: [1]}, {})
    change_properties(broker, ResourceKind.CLIENT_METRICS, "sub", {"metrics": "*"})
    change_properties(broker, ResourceKind.GROUP, "g", {"share.isolation.level": "read_committed"})
    response = handle(broker, asked(version), ListConfigResourcesRequest(resource_types=kinds))
    found = [(one.resource_name, one.resource_type) for one in response.config_resources]
    assert (response.error_code, found) == (0, listed)


def test_a_type_that_there_is_not_is_refused() -> None:
    response = handle(a_broker(), asked(1), ListConfigResourcesRequest(resource_types=[4, 99]))
    assert (response.error_code, response.config_resources) == (ErrorCode.UNSUPPORTED_VERSION, [])
