import pytest

from barnabas.client.core.cluster.connection import (
    TRANSITIONS,
    Connection,
    ConnectionInput,
    ConnectionState,
)
from barnabas.errors import BrokerError, ErrorCode, LocalProtocolError, RemoteProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
)
from barnabas.protocol.headers import encode_response, read_request_header
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from barnabas.wire.send import Send


def body(send: Send) -> memoryview:
    return memoryview(send.joined())[4:]


def first(connection: Connection) -> Send:
    """The first request, which asks for versions."""
    send = connection.hello()
    assert send is not None
    return send


def versions(
    *rows: tuple[ApiKey, int, int], error: ErrorCode = ErrorCode.NONE
) -> ApiVersionsResponse:
    keys = [ApiVersion(api_key=key, min_version=low, max_version=high) for key, low, high in rows]
    return ApiVersionsResponse(error_code=error, api_keys=keys)


def answer(version: int, correlation_id: int, response: ApiVersionsResponse) -> memoryview:
    return body(encode_response(ApiKey.API_VERSIONS, version, correlation_id, response))


def ready(*rows: tuple[ApiKey, int, int]) -> Connection:
    connection = Connection("me", "1.0")
    header, _ = read_request_header(body(first(connection)))
    connection.receive(answer(header.api_version, header.correlation_id, versions(*rows)))
    assert connection.ready
    return connection


def test_every_state_answers_every_input_by_the_table() -> None:
    for state in ConnectionState:
        for happened in ConnectionInput:
            connection = Connection("me", "1.0")
            connection.state = state
            expected = TRANSITIONS[state].get(happened)
            if expected is None:
                with pytest.raises(LocalProtocolError):
                    connection._move(happened)
            else:
                connection._move(happened)
                assert connection.state is expected


def test_the_highest_common_version_is_spoken() -> None:
    connection = ready((ApiKey.METADATA, 1, 5), (ApiKey.PRODUCE, 0, 99))
    assert connection.version_of(ApiKey.METADATA) == 5
    assert connection.version_of(ApiKey.PRODUCE, at_most=12) == 12


def test_the_levels_of_features_are_known() -> None:
    connection = Connection("me", "1.0")
    header, _ = read_request_header(body(first(connection)))
    reported = versions()
    reported.finalized_features = [
        FinalizedFeatureKey(name="transaction.version", max_version_level=2, min_version_level=1)
    ]
    connection.receive(answer(header.api_version, header.correlation_id, reported))
    assert connection.level_of("transaction.version") == 2
    assert connection.level_of("group.version") == 0


def test_no_common_version_is_an_error_that_names_both_sides() -> None:
    connection = ready((ApiKey.FETCH, 90, 95))
    with pytest.raises(BrokerError, match=r"versions 90-95 of Fetch \(this client 0-18\)"):
        connection.version_of(ApiKey.FETCH)
    with pytest.raises(BrokerError, match="no version of Produce"):
        connection.version_of(ApiKey.PRODUCE)
    assert not connection.speaks(ApiKey.FETCH)


def test_an_assumed_release_is_not_asked() -> None:
    connection = Connection("me", "1.0", "0.8.2")
    assert connection.hello() is None
    assert connection.ready
    assert connection.version_of(ApiKey.OFFSET_COMMIT) == 1
    with pytest.raises(BrokerError, match=r"no version of JoinGroup.* which needs Kafka 0\.9\.0"):
        connection.version_of(ApiKey.JOIN_GROUP)


def test_a_refused_version_is_asked_again_in_the_range_that_the_broker_names() -> None:
    connection = Connection("me", "1.0")
    connection.hello()
    refusal = versions((ApiKey.API_VERSIONS, 0, 2), error=ErrorCode.UNSUPPORTED_VERSION)
    received, again = connection.receive(answer(0, 0, refusal))
    assert received is None
    assert again is not None
    header, _ = read_request_header(body(again))
    assert (header.api_version, header.correlation_id) == (2, 1)
    connection.receive(answer(2, 1, versions((ApiKey.METADATA, 0, 1))))
    assert connection.ready


def test_a_refusal_that_names_no_range_falls_back_to_version_0() -> None:
    connection = Connection("me", "1.0")
    connection.hello()
    garbled = memoryview(bytes.fromhex("00000000 0023 0100120000 00020000 0000"))
    _, again = connection.receive(garbled)
    assert again is not None
    assert read_request_header(body(again))[0].api_version == 0
    with pytest.raises(RemoteProtocolError, match="which every broker must support"):
        connection.receive(memoryview(bytes.fromhex("00000001 0023 00000000")))


def test_answers_come_in_the_order_of_the_requests() -> None:
    connection = ready((ApiKey.METADATA, 0, 1))
    request = MetadataRequest(topics=[])
    first, _ = connection.request(ApiKey.METADATA, request, 1)
    second, _ = connection.request(ApiKey.METADATA, request, 1)
    response = MetadataResponse(brokers=[], topics=[], controller_id=first)
    received, send = connection.receive(body(encode_response(ApiKey.METADATA, 1, first, response)))
    assert send is None
    assert received is not None
    assert received.message.controller_id == first
    with pytest.raises(RemoteProtocolError, match=f"arrived instead of {second}"):
        connection.receive(body(encode_response(ApiKey.METADATA, 1, first, response)))


def test_closing_tells_which_answers_never_come() -> None:
    connection = ready((ApiKey.METADATA, 0, 1))
    correlation_id, _ = connection.request(ApiKey.METADATA, MetadataRequest(topics=[]), 0)
    assert [due.correlation_id for due in connection.close()] == [correlation_id]
    with pytest.raises(LocalProtocolError, match="closed"):
        connection.request(ApiKey.METADATA, MetadataRequest(topics=[]), 0)


def test_a_response_to_nothing_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="answers no request"):
        ready().receive(memoryview(bytes(10)))
