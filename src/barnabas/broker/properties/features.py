"""The features that a broker claims, at their levels (KIP-584).

A feature is there while the APIs are that it stands for, so that a broker with the profile of an older
release claims none. metadata.version stands for the release, since there is a quorum to have it (KIP-778).
A member of a cluster claims those that all of it have, from inter.broker.protocol.version 4.0 on.
Source: Kafka's Feature and MetadataVersion, what brokers of 3.9 and 4.0 to 4.3 claim.
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.properties.profile import Profile
from barnabas.config.releases import RELEASES, is_before
from barnabas.protocol.api_keys import ApiKey


class Feature(NamedTuple):
    """One feature: the levels that are possible, and the one in force.

    `api` and `version` are what clients that see it will use, `since` the first release line that claims it.
    """

    name: str
    least: int
    most: int
    level: int
    api: ApiKey
    version: int = 0
    since: str = "3.3"


_FEATURES = (
    Feature("group.version", 0, 1, 1, ApiKey.CONSUMER_GROUP_HEARTBEAT, since="4.0"),
    Feature("share.version", 0, 1, 1, ApiKey.SHARE_GROUP_HEARTBEAT, 1),
    Feature("streams.version", 0, 1, 1, ApiKey.STREAMS_GROUP_HEARTBEAT),
    Feature("transaction.version", 0, 2, 2, ApiKey.END_TXN, 5),
)


_METADATA_LEVELS: Mapping[str, int] = {
    "3.3": 7, "3.4": 8, "3.5": 11, "3.6": 14, "3.7": 19, "3.8": 20, "3.9": 21,
    "4.0": 25, "4.1": 27, "4.2": 29, "4.3": 30,
}  # fmt: skip


def _metadata(release: str) -> Feature:
    """The one that says which records a controller writes: as its release does it at most."""
    least = 1 if is_before(release, "4.0") else _METADATA_LEVELS["3.3"]
    level = _METADATA_LEVELS[release]
    return Feature("metadata.version", least, level, level, ApiKey.DESCRIBE_QUORUM)


def features_of(profile: Profile) -> list[Feature]:
    """Those that a broker of this profile has."""
    advertised, release = profile.advertised, profile.release or RELEASES[-1]
    has_quorum = ApiKey.DESCRIBE_QUORUM in advertised
    if not has_quorum and (not profile.protocol or is_before(profile.protocol, "4.0")):
        return []
    found = [
        one
        for one in _FEATURES
        if one.version in advertised.get(one.api, ()) and not is_before(release, one.since)
    ]
    return sorted([_metadata(release), *found] if has_quorum else found)


def level_of(profile: Profile, name: str) -> int:
    """The level of a feature; 0 where it is not there."""
    return next((one.level for one in features_of(profile) if one.name == name), 0)
