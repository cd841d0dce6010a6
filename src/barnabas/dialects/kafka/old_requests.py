"""OldKafkaDialect: what brokers before 0.10 do with requests that they do not know.

They read a version of the APIs of data that does not exist yet as if it were their last one. Anything
else that they do not know ends the connection in 0.8, and has no answer at all in 0.9, which clients
notice by a timeout. Source: requests sent to Kafka 0.8.2.2 and 0.9.0.1.
"""

from collections.abc import Mapping
from struct import Struct

from barnabas.dialects.dialect import Request, RequestIgnored
from barnabas.dialects.kafka.requests import KafkaDialect, MessageCodecs
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange

_KEY_AND_VERSION = Struct(">hh")
_VERSION = Struct(">h")
_VERSION_AT = 2


class OldKafkaDialect(KafkaDialect):
    """As its parent, for what is served."""

    __slots__ = ("_any_version", "_known", "_silent")

    def __init__(
        self,
        ways: MessageCodecs,
        any_version: frozenset[ApiKey],
        *,
        silent: bool,
    ) -> None:
        """`any_version` are APIs whose version is not looked at; `silent`: the rest has no answer."""
        super().__init__(ways)
        self._known: Mapping[int, VersionRange] = {
            int(key): versions for key, versions in ways.served.items()
        }
        self._any_version = any_version
        self._silent = silent

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; one of an unknown version is written over with the last one known.

        Raises:
            DecodeError: it is cut short or wrong, or an API or version that is not served.
            RequestIgnored: the same, where the client is left to wait.
        """
        if len(frame) >= _KEY_AND_VERSION.size:
            key, version = _KEY_AND_VERSION.unpack_from(frame)
            versions = self._known.get(key)
            if versions is not None and version not in versions and key in self._any_version:
                _VERSION.pack_into(frame, _VERSION_AT, versions.last)
            elif self._silent and (versions is None or version not in versions):
                raise RequestIgnored(f"API {key} version {version} is not known")
        return super().read_request(frame)
