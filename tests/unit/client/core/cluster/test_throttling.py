import pytest

from barnabas.client.core.cluster.connection import PendingResponse, ReceivedResponse
from barnabas.client.core.cluster.throttling import throttle_s
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchResponse


@pytest.mark.parametrize(("version", "seconds"), [(7, 0.0), (8, 0.25), (16, 0.25)])
def test_the_client_waits_where_the_broker_did_not(version: int, seconds: float) -> None:
    message = FetchResponse(throttle_time_ms=250, responses=[])
    assert (
        throttle_s(ReceivedResponse(PendingResponse(1, ApiKey.FETCH, version), message)) == seconds
    )


def test_most_answers_ask_for_no_silence() -> None:
    due = PendingResponse(1, ApiKey.FETCH, 16)
    assert throttle_s(ReceivedResponse(due, FetchResponse(responses=[]))) == 0.0
    assert throttle_s(ReceivedResponse(due, object())) == 0.0
