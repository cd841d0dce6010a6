"""One connection to a broker: the versions both sides support, and pending responses. No I/O.

    CONNECTED --hello()--> NEGOTIATING --answer--> READY --close()--> CLOSED
              `--hello(), of a release that is assumed--^

The first request is ApiVersions in our highest version. A broker that does not support it responds
in version 0 with its own range; then the client asks again within that range (KIP-511). Kafka before
0.10 does not respond: then the versions are those of a release that the user has named.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from barnabas.errors import (
    BrokerError,
    DecodeError,
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.versions import VersionRange
from barnabas.wire.send import Send

_MAX_CORRELATION: Final = 0x7FFFFFFF
_SOFTWARE: Final = "barnabas-py"


class ConnectionState(Enum):
    """The state of a connection."""

    CONNECTED = "connected"
    NEGOTIATING = "negotiating"
    READY = "ready"
    CLOSED = "closed"


class ConnectionInput(Enum):
    """Events of a connection."""

    HELLO = "hello"
    VERSIONS_ASSUMED = "versions assumed"
    VERSIONS_REFUSED = "versions refused"
    VERSIONS_AGREED = "versions agreed"
    CLOSE = "close"


TRANSITIONS: Mapping[ConnectionState, Mapping[ConnectionInput, ConnectionState]] = MappingProxyType(
    {
        ConnectionState.CONNECTED: {
            ConnectionInput.HELLO: ConnectionState.NEGOTIATING,
            ConnectionInput.VERSIONS_ASSUMED: ConnectionState.READY,
            ConnectionInput.CLOSE: ConnectionState.CLOSED,
        },
        ConnectionState.NEGOTIATING: {
            ConnectionInput.VERSIONS_REFUSED: ConnectionState.NEGOTIATING,
            ConnectionInput.VERSIONS_AGREED: ConnectionState.READY,
            ConnectionInput.CLOSE: ConnectionState.CLOSED,
        },
        ConnectionState.READY: {ConnectionInput.CLOSE: ConnectionState.CLOSED},
        ConnectionState.CLOSED: {ConnectionInput.CLOSE: ConnectionState.CLOSED},
    }
)


@dataclass(frozen=True, slots=True)
class PendingResponse:
    """A pending response: the request's correlation id, API and version."""

    correlation_id: int
    api: ApiKey
    version: int


@dataclass(frozen=True, slots=True)
class ReceivedResponse:
    """One response, with its request."""

    due: PendingResponse
    message: Any


class Connection:
    """The state of one connection.

    Responses arrive in the order of requests, as Kafka guarantees. `assumed`: a release line whose
    versions the broker is taken to support; it is not asked for them. Empty: it is asked.
    """

    __slots__ = (
        "_assumed",
        "_client_id",
        "_correlation_id",
        "_due",
        "_features",
        "_software_version",
        "_versions",
        "state",
    )

    def __init__(self, client_id: str, software_version: str, assumed: str = "") -> None:
        self._assumed = assumed
        self._client_id = client_id
        self._software_version = software_version
        self._correlation_id = -1
        self._due: deque[PendingResponse] = deque()
        self._versions: dict[ApiKey, VersionRange] = {}
        self._features: dict[str, int] = {}
        self.state = ConnectionState.CONNECTED

    @property
    def ready(self) -> bool:
        """Whether requests may be sent."""
        return self.state is ConnectionState.READY

    def hello(self) -> Send | None:
        """The first bytes to send; None if versions are assumed, and requests may be sent at once."""
        if self._assumed:
            # Imported late: few clients meet a broker that is so old.
            from barnabas.protocol.releases import apis_for_clients

            self._versions = apis_for_clients(self._assumed)
            self._move(ConnectionInput.VERSIONS_ASSUMED)
            return None
        self._move(ConnectionInput.HELLO)
        return self._ask_versions(DECLARED[ApiKey.API_VERSIONS].versions.last)

    def version_of(self, api: ApiKey, *, at_most: int | None = None) -> int:
        """The highest version of `api` that both sides support, up to `at_most`.

        Raises:
            BrokerError: there is none (UNSUPPORTED_VERSION); the message names both ranges.
        """
        ours = DECLARED[api].versions
        theirs = self._versions.get(api)
        if theirs is not None:
            both = ours.intersection(theirs)
            version = both.last if at_most is None else min(both.last, at_most)
            if version in both:
                return version
        name = DECLARED[api].name
        what = f"versions {theirs}" if theirs is not None else "no version"
        detail = f"the broker supports {what} of {name} (this client {ours}){_needs(api, ours)}"
        raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, detail)

    def speaks(self, api: ApiKey) -> bool:
        """Whether both sides share a version of `api`."""
        theirs = self._versions.get(api)
        return theirs is not None and not DECLARED[api].versions.intersection(theirs).is_empty

    def level_of(self, feature: str) -> int:
        """The finalized level of a feature (KIP-584); 0 without one."""
        return self._features.get(feature, 0)

    def request(
        self, api: ApiKey, message: object, version: int, *, answered: bool = True
    ) -> tuple[int, Send]:
        """Encode a request; return its correlation id and bytes.

        `answered`: a response will follow.

        Raises:
            LocalProtocolError: the connection is not ready.
        """
        if self.state is not ConnectionState.READY:
            raise LocalProtocolError(f"a request on a connection that is {self.state.value}")
        return self._encode(api, message, version, answered=answered)

    def receive(self, frame: memoryview) -> tuple[ReceivedResponse | None, Send | None]:
        """Handle one response; return it, or (while negotiating) bytes to send, or neither.

        Raises:
            RemoteProtocolError: it is malformed, or does not match a request.
        """
        if not self._due:
            raise RemoteProtocolError("a response that answers no request")
        due = self._due.popleft()
        correlation_id = int.from_bytes(frame[:4], signed=True)
        if correlation_id != due.correlation_id:
            raise RemoteProtocolError(
                f"response {correlation_id} arrived instead of {due.correlation_id}"
            )
        if self.state is ConnectionState.NEGOTIATING:
            return None, self._agree(due, frame)
        _, message = decode_response(due.api, due.version, frame)
        return ReceivedResponse(due, message), None

    def close(self) -> list[PendingResponse]:
        """Note that the connection is closed; return the responses that will never arrive."""
        self._move(ConnectionInput.CLOSE)
        lost = list(self._due)
        self._due.clear()
        return lost

    def _agree(self, due: PendingResponse, frame: memoryview) -> Send | None:
        if int.from_bytes(frame[4:6], signed=True) == ErrorCode.UNSUPPORTED_VERSION:
            if due.version == 0:
                raise RemoteProtocolError(
                    "the broker refuses ApiVersions 0, which every broker must support"
                )
            self._move(ConnectionInput.VERSIONS_REFUSED)
            return self._ask_versions(min(_version_instead(frame), due.version - 1))
        _, response = decode_response(ApiKey.API_VERSIONS, due.version, frame)
        assert isinstance(response, ApiVersionsResponse)
        if response.error_code:
            raise BrokerError(response.error_code, "answer to ApiVersions")
        known = {int(api): api for api in ApiKey}
        for row in response.api_keys:
            if row.api_key in known:
                offered = VersionRange(row.min_version, row.max_version)
                self._versions[known[row.api_key]] = offered
        for feature in response.finalized_features:
            self._features[feature.name] = feature.max_version_level
        self._move(ConnectionInput.VERSIONS_AGREED)
        return None

    def _ask_versions(self, version: int) -> Send:
        message = ApiVersionsRequest(
            client_software_name=_SOFTWARE, client_software_version=self._software_version
        )
        return self._encode(ApiKey.API_VERSIONS, message, version, answered=True)[1]

    def _encode(
        self, api: ApiKey, message: object, version: int, *, answered: bool
    ) -> tuple[int, Send]:
        self._correlation_id = (self._correlation_id + 1) & _MAX_CORRELATION
        header = RequestHeader(api, version, self._correlation_id, self._client_id)
        send = encode_request(header, message)
        if answered:
            self._due.append(PendingResponse(self._correlation_id, api, version))
        return self._correlation_id, send

    def _move(self, happened: ConnectionInput) -> None:
        following = TRANSITIONS[self.state].get(happened)
        if following is None:
            raise LocalProtocolError(f"{happened.value} on a connection that is {self.state.value}")
        self.state = following


def _needs(api: ApiKey, ours: VersionRange) -> str:
    """The Kafka release that added our versions of an API, as the end of an error."""
    # Imported late: few clients meet a broker that is too old.
    from barnabas.protocol.releases import first_with

    release = first_with(api, ours)
    return f", which needs Kafka {release} or later" if release else ""


def _version_instead(frame: memoryview) -> int:
    """The ApiVersions version to use after a refusal, which is in version 0 and may name it.

    Some brokers put other data after the error code; all of them support 0.
    """
    try:
        _, response = decode_response(ApiKey.API_VERSIONS, 0, frame)
    except DecodeError:
        return 0
    assert isinstance(response, ApiVersionsResponse)
    theirs = (row.max_version for row in response.api_keys if row.api_key == ApiKey.API_VERSIONS)
    return max(theirs, default=0)
