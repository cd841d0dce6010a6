"""Profile: the behaviour of one Kafka release."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.dialects.dialect import Dialect
from barnabas.dialects.kafka.requests import KafkaDialect, MessageCodecs
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange, VersionTable

_NEVER = VersionTable({0: False})


@dataclass(frozen=True, slots=True)
class Profile:
    """What a broker shows of itself. `release` is empty where it is everything at once.

    `served` are the versions that are read, `advertised` those that ApiVersions tells, and `lacking`
    what the release has and this broker does not. `tells_its_range`: whether an ApiVersions request of
    a version that is not served is answered with those that are (KIP-511, Kafka 2.4).
    Before 0.10: `any_version` are APIs whose version is not looked at, and `silent` says that what is
    not known has no answer, where others close the connection. `any_acks`: the versions of Produce in
    which acks may be any number, as in 0.8, and `waits_for_acks` whether that is waited for where one
    replica is all (0.8.2).
    `tells_names`: whether there is a code for names that no topic may have (0.8.2).
    `tells_records`: whether INVALID_RECORD is known (KIP-467, Kafka 2.4), and
    `tells_disabled` whether a code reports that deletion is disabled (1.0), and `tells_values` whether
    one reports an invalid value of a property (KRaft, 3.3).
    `code_of_new`: the code in the Metadata response that creates a topic, which has no leader yet; NONE
    if it has one at once.
    `protocol`: of a member of a cluster, the release that inter.broker.protocol.version stands for.
    """

    release: str
    served: Mapping[ApiKey, VersionRange]
    advertised: Mapping[ApiKey, VersionRange]
    lacking: Mapping[ApiKey, VersionRange] = field(default_factory=dict)
    tells_its_range: bool = True
    any_version: frozenset[ApiKey] = frozenset()
    silent: bool = False
    any_acks: VersionTable[bool] = field(default_factory=lambda: _NEVER)
    waits_for_acks: bool = False
    tells_names: bool = True
    tells_records: bool = True
    tells_disabled: bool = True
    tells_values: bool = True
    code_of_new: ErrorCode = ErrorCode.NONE
    protocol: str = ""

    def dialect(self, ways: MessageCodecs) -> Dialect:
        """What a new connection speaks; `ways` are those of the versions that are served."""
        if not (self.any_version or self.silent):
            return KafkaDialect(ways)
        # Imported late: a broker starts faster without it.
        from barnabas.dialects.kafka.old_requests import OldKafkaDialect

        return OldKafkaDialect(ways, self.any_version, silent=self.silent)
