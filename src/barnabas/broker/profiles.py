"""Profiles: the behaviour of one Kafka release, or everything at once."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from barnabas.broker.dispatch import BETWEEN_BROKERS, SERVED
from barnabas.broker.properties.profile import Profile
from barnabas.config.releases import RELEASE_07, is_before
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange, VersionTable

EVERYTHING = Profile("", SERVED, SERVED, any_acks=VersionTable({0: True, 1: False}))

_ANY_VERSION_0_9 = frozenset(
    {
        ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.LIST_OFFSETS, ApiKey.METADATA, ApiKey.OFFSET_FETCH,
    }
)  # fmt: skip
_ANY_VERSION_0_8 = _ANY_VERSION_0_9 | {ApiKey.FIND_COORDINATOR}


def profile_of(release: str) -> Profile:
    """What this broker shows as one of that release line; empty: all that it can.

    Kafka 0.7 is another dialect: a listener beside it that is of Kafka's shows all.

    Raises:
        ValueError: there is no such line.
    """
    if release in ("", RELEASE_07):
        return EVERYTHING
    # Imported late: a broker starts faster without it.
    from barnabas.protocol.releases import ADVERTISED_FROM_ZERO, apis_of

    has = apis_of(release)
    with_zookeeper = is_before(release, "3.3")
    both = {key: SERVED[key].intersection(has[key]) for key in has.keys() & SERVED.keys()}
    served = {key: versions for key, versions in both.items() if not versions.is_empty}
    return Profile(
        release,
        served,
        {
            key: VersionRange(0, versions.last)
            if release in ADVERTISED_FROM_ZERO.get(key, ())
            else versions
            for key, versions in served.items()
        },
        {key: versions for key, versions in has.items() if served.get(key) != versions},
        tells_its_range=not is_before(release, "2.4"),
        any_version=_any_version(release),
        silent=release == "0.9.0",
        any_acks=VersionTable({0: is_before(release, "0.9.0")}),
        waits_for_acks=release == "0.8.2",
        tells_names=not is_before(release, "0.8.2"),
        tells_disabled=not is_before(release, "1.0"),
        tells_values=not with_zookeeper,
        tells_records=not is_before(release, "2.4"),
        code_of_new=ErrorCode.LEADER_NOT_AVAILABLE
        if with_zookeeper
        else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    )


_SHARE_GROUPS = frozenset(
    {
        ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.SHARE_GROUP_DESCRIBE, ApiKey.SHARE_FETCH,
        ApiKey.SHARE_ACKNOWLEDGE, ApiKey.INITIALIZE_SHARE_GROUP_STATE, ApiKey.READ_SHARE_GROUP_STATE,
        ApiKey.WRITE_SHARE_GROUP_STATE, ApiKey.DELETE_SHARE_GROUP_STATE,
        ApiKey.READ_SHARE_GROUP_STATE_SUMMARY, ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS,
        ApiKey.ALTER_SHARE_GROUP_OFFSETS, ApiKey.DELETE_SHARE_GROUP_OFFSETS,
    }
)  # fmt: skip
_STREAMS_GROUPS = frozenset({ApiKey.STREAMS_GROUP_HEARTBEAT, ApiKey.STREAMS_GROUP_DESCRIBE})
_OF_KRAFT = frozenset({ApiKey.LIST_CONFIG_RESOURCES, ApiKey.DESCRIBE_TOPIC_PARTITIONS})
"""What Kafka's brokers with ZooKeeper do not list, in releases that have it."""


def of_member(profile: Profile, protocol: str) -> Profile:
    """The same of a member of a cluster: it serves its controller, too, and there is no quorum.

    `protocol`: the release of inter.broker.protocol.version. Kafka with ZooKeeper ends with 3.9: where a
    broker of it may take part there are no share groups and no streams groups, whose records it does not
    know, and it has no transactions of version 2 (see `features`).
    """
    without = {ApiKey.DESCRIBE_QUORUM}
    if is_before(protocol, "4.0"):
        without |= _OF_KRAFT
    if is_before(protocol, "4.2"):
        without |= _SHARE_GROUPS | _STREAMS_GROUPS
    profile = replace(
        profile,
        served=_without(profile.served, without),
        advertised=_without(profile.advertised, without),
        protocol=protocol,
    )
    more = {key: route.versions for key, route in BETWEEN_BROKERS.items()}
    return replace(
        profile,
        served={**profile.served, **more},
        advertised={**profile.advertised, **more},
        lacking={key: one for key, one in profile.lacking.items() if key not in more},
    )


def _without(
    versions: Mapping[ApiKey, VersionRange], left_out: AbstractSet[ApiKey]
) -> dict[ApiKey, VersionRange]:
    return {key: one for key, one in versions.items() if key not in left_out}


def _any_version(release: str) -> frozenset[ApiKey]:
    if is_before(release, "0.9.0"):
        return _ANY_VERSION_0_8
    return _ANY_VERSION_0_9 if is_before(release, "0.10.0") else frozenset()
