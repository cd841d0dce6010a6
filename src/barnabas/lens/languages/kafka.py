"""KafkaLens: requests and responses of Kafka 0.8 to 4.x, all APIs in all versions."""

from collections.abc import Iterator

from barnabas.lens.languages.kafka_frames import KEYS, explain_request, explain_response
from barnabas.lens.walks.guesses import AS_DECLARED, Interpretation, altered, with_guess
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.lens.walks.words import api_name
from barnabas.protocol.api_keys import Api, ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.wire.encoding import CLASSIC, FLEXIBLE

_KEY_AND_VERSION = 4
_SIZE = 4


class KafkaLens:
    """Explains frames. `bare` frames have no size before them."""

    name = "kafka"
    returns_addresses = True

    def request(self, data: bytes, *, bare: bool = False) -> Explained:
        """Explain a request, complete or truncated."""

        def again(how: Interpretation, data: bytes) -> Explained:
            return explain_request(data, how, bare=bare)

        found = again(AS_DECLARED, data)
        return with_guess(found, _ways(_api_of(found), found.version), again)

    def response(self, data: bytes, asked: RequestSummary, *, bare: bool = False) -> Explained:
        """Explain the response to a request."""

        def again(how: Interpretation, data: bytes) -> Explained:
            return explain_response(data, asked, how, bare=bare)

        found = again(AS_DECLARED, data)
        return with_guess(found, _ways(DECLARED[ApiKey(asked.number)], found.version), again)

    def correlation_id(self, data: bytes, *, bare: bool = False) -> int | None:
        """The correlation id of a response; None if it is too short."""
        at = 0 if bare else _SIZE
        found = data[at : at + 4]
        return int.from_bytes(found, "big", signed=True) if len(found) == 4 else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its APIs."""
        return tuple(api_name(key) for key in ApiKey)

    def number_of(self, name: str) -> int | None:
        """The key of an API by name or number; None if there is none."""
        plain = name.replace("_", "").lower()
        for key in ApiKey:
            if plain in (key.name.replace("_", "").lower(), str(int(key))):
                return int(key)
        return None

    def newest_version(self, number: int) -> int:
        """The newest version of an API."""
        return DECLARED[ApiKey(number)].versions.last

    def opens(self, data: bytes) -> bool:
        """Whether bytes start like a request in an existing version, without a size."""
        if len(data) < _KEY_AND_VERSION:
            return False
        key, version = int.from_bytes(data[:2], "big"), int.from_bytes(data[2:4], "big")
        return key in KEYS and version in DECLARED[ApiKey(key)].versions


def _api_of(found: Explained) -> Api | None:
    return next((api for api in DECLARED.values() if api.name == found.name), None)


def _ways(api: Api | None, version: int | None) -> Iterator[tuple[str, Interpretation]]:
    """Alternative readings of a frame, most likely first."""
    if api is not None and version is not None:
        yield from _encodings(api, version)
    yield "all numbers are in little-endian order", altered(order="<")
    for other in api.versions if api is not None else ():
        if other != version:
            yield f"this is how version {other} is written", altered(version=other)


def _encodings(api: Api, version: int) -> Iterator[tuple[str, Interpretation]]:
    since = f"from version {api.flexible.first} on"
    if version in api.flexible:
        words = f"lengths are int16 and int32; {since} they are unsigned varints of n + 1"
        yield words, altered(encoding=CLASSIC, header_tags=False)
        yield words, altered(encoding=CLASSIC)
        bare = "tagged fields are missing, at least a byte 0"
        yield f"{bare}, from the header", altered(header_tags=False)
        yield f"{bare}, from structs and message", altered(tags=False)
        yield f"{bare}, from header and message", altered(tags=False, header_tags=False)
        return
    since = "never in this API" if api.flexible.is_empty else f"only {since}"
    tagged = f"there are tagged fields, which are {since}"
    yield f"{tagged}: in the header", altered(header_tags=True)
    yield f"{tagged}, as are lengths as varints", altered(encoding=FLEXIBLE, header_tags=True)
