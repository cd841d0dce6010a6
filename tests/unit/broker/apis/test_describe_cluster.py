import pytest

from barnabas.broker.apis.describe_cluster import handle
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_cluster import DescribeClusterRequest
from tests.unit.broker.in_memory import a_broker, asked


def test_the_cluster_is_this_broker() -> None:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=False, include_fenced_brokers=False
    )
    response = handle(a_broker(), asked(2), request)
    assert (response.error_code, response.cluster_id, response.controller_id) == (0, "a-cluster", 1)
    assert [(one.broker_id, one.host, one.port) for one in response.brokers] == [(1, "here", 9092)]
    assert response.cluster_authorized_operations == -(2**31)


def test_without_an_authorizer_everything_is_allowed() -> None:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=True, include_fenced_brokers=False
    )
    response = handle(a_broker(), asked(0), request)
    allowed = {bit for bit in range(31) if response.cluster_authorized_operations >> bit & 1}
    assert allowed == {5, 7, 8, 9, 10, 11, 12}


@pytest.mark.parametrize(
    ("kind", "code"),
    [(2, ErrorCode.MISMATCHED_ENDPOINT_TYPE), (9, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE)],
)
def test_only_brokers_have_an_endpoint_here(kind: int, code: ErrorCode) -> None:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=False, endpoint_type=kind
    )
    response = handle(a_broker(), asked(1), request)
    assert (response.error_code, response.brokers) == (code, [])
