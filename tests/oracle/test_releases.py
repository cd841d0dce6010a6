"""kafka-python's table of releases, taken from running brokers, against ours."""

import pytest
from kafka.protocol.broker_version_data import BROKER_API_VERSIONS

from barnabas.config.releases import RELEASES, is_before
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.releases import ADVERTISED_FROM_ZERO, apis_of

BETWEEN_BROKERS = {4, 5, 6, 7, 56, 58, 67}
"""What a broker with KRaft does not serve to clients; their brokers of 3.x have ZooKeeper."""
KNOWN = {("4.0", ApiKey.JOIN_GROUP): "0 and 1 came back with 4.0.1 (KAFKA-19444)"}
NOT_YET_WITH_KRAFT = {38, 39, 40, 41, 50, 51}
"""Delegation tokens and SCRAM came to KRaft with 3.5 and 3.6."""


@pytest.mark.parametrize("release", RELEASES)
def test_another_table_has_the_same_versions(release: str) -> None:
    numbers = tuple(int(part) for part in release.split("."))
    theirs = BROKER_API_VERSIONS.get(numbers) or BROKER_API_VERSIONS[numbers[:2]]
    ours = apis_of(release)
    for key, (first, last) in theirs.items():
        api = ApiKey(key)
        if api not in ours:
            assert key in BETWEEN_BROKERS | NOT_YET_WITH_KRAFT
            assert not is_before(release, "3.3")
        elif (release, api) not in KNOWN:
            mine = 0 if release in ADVERTISED_FROM_ZERO.get(api, ()) else ours[api].first
            assert (mine, ours[api].last) == (first, last), api
