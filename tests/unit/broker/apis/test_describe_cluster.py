import pytest

from barnabas.broker.apis import describe_cluster
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from tests.unit.broker.in_memory import a_broker, answered, asked


def ask(request: DescribeClusterRequest, version: int) -> DescribeClusterResponse:
    broker = a_broker()
    outcome = describe_cluster.handle(broker, asked(version), request)
    return answered(broker, outcome, DescribeClusterResponse)


def test_the_cluster_is_this_broker() -> None:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=False, include_fenced_brokers=False
    )
    response = ask(request, 2)
    assert (response.error_code, response.cluster_id, response.controller_id) == (0, "a-cluster", 1)
    assert [(one.broker_id, one.host, one.port) for one in response.brokers] == [(1, "here", 9092)]
    assert response.cluster_authorized_operations == -(2**31)


def test_without_an_authorizer_everything_is_allowed() -> None:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=True, include_fenced_brokers=False
    )
    response = ask(request, 0)
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
    response = ask(request, 1)
    assert (response.error_code, response.brokers) == (code, [])
