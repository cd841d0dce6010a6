"""The features that a broker claims, at their levels (KIP-584).

A feature is there while the APIs are that it stands for, so that a broker with the profile of an older
release claims none. Source: Kafka's Feature and its levels.
"""

from typing import NamedTuple

from barnabas.broker.profile import Profile
from barnabas.protocol.api_keys import ApiKey


class Feature(NamedTuple):
    """One feature: the levels that could be had, and the one that is.

    `api` and `version` are what clients that see it will use.
    """

    name: str
    least: int
    most: int
    level: int
    api: ApiKey
    version: int = 0


_FEATURES = (
    Feature("group.version", 0, 1, 1, ApiKey.CONSUMER_GROUP_HEARTBEAT),
    Feature("share.version", 0, 1, 1, ApiKey.SHARE_GROUP_HEARTBEAT, 1),
    Feature("streams.version", 0, 1, 1, ApiKey.STREAMS_GROUP_HEARTBEAT),
    Feature("transaction.version", 0, 2, 2, ApiKey.END_TXN, 5),
)


def features_of(profile: Profile) -> list[Feature]:
    """Those that a broker of this profile has."""
    advertised = profile.advertised
    return [one for one in _FEATURES if one.version in advertised.get(one.api, ())]


def level_of(profile: Profile, name: str) -> int:
    """The level of a feature; 0 where it is not there."""
    return next((one.level for one in features_of(profile) if one.name == name), 0)
