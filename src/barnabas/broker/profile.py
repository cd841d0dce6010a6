"""Profile: as which release of Kafka a broker behaves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange


@dataclass(frozen=True, slots=True)
class Profile:
    """What a broker shows of itself. `release` is empty where it is everything at once.

    `served` are the versions that are read, `advertised` those that ApiVersions tells, and `lacking`
    what the release has and this broker does not. `tells_its_range`: whether an ApiVersions request of
    a version that is not served is answered with those that are (KIP-511, Kafka 2.4).
    """

    release: str
    served: Mapping[ApiKey, VersionRange]
    advertised: Mapping[ApiKey, VersionRange]
    lacking: Mapping[ApiKey, VersionRange] = field(default_factory=dict)
    tells_its_range: bool = True
