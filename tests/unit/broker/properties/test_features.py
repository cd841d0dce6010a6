"""What brokers of a release claim; compared with Kafka 3.9 and 4.3 in tests/interop/differential."""

import pytest

from barnabas.broker.apis.api_versions import handle
from barnabas.broker.profiles import of_member, profile_of
from barnabas.broker.properties.features import features_of, level_of
from barnabas.config.releases import RELEASES, is_before
from barnabas.protocol.api_versions import ApiVersionsRequest
from tests.unit.broker.in_memory import a_broker, asked


@pytest.mark.parametrize("release", RELEASES)
def test_metadata_has_a_version_since_there_is_a_quorum(release: str) -> None:
    level = level_of(profile_of(release), "metadata.version")
    assert (level == 0) == is_before(release, "3.3")
    assert level <= level_of(profile_of(""), "metadata.version") == 30


@pytest.mark.parametrize(
    ("release", "names"),
    [
        ("2.8", ()),
        ("3.2", ()),
        ("3.9", ("metadata.version",)),
        ("4.0", ("group.version", "metadata.version", "transaction.version")),
    ],
)
def test_what_the_apis_of_a_release_stand_for_is_claimed(
    release: str, names: tuple[str, ...]
) -> None:
    assert tuple(one.name for one in features_of(profile_of(release))) == names


@pytest.mark.parametrize(
    ("release", "protocol", "names"),
    [
        ("", "3.9", ()),
        ("", "4.0", ("group.version", "transaction.version")),
        ("", "4.3", ("group.version", "share.version", "streams.version", "transaction.version")),
        ("3.9", "4.3", ()),
        ("4.0", "4.3", ("group.version", "transaction.version")),
    ],
)
def test_a_member_of_a_cluster_claims_what_all_of_it_have(
    release: str, protocol: str, names: tuple[str, ...]
) -> None:
    member = of_member(profile_of(release), protocol)
    assert tuple(one.name for one in features_of(member)) == names


def test_clients_that_take_level_0_for_a_mistake_do_not_get_it() -> None:
    request = ApiVersionsRequest(client_software_name="x", client_software_version="1")
    given = {version: handle(a_broker(), asked(version), request) for version in (3, 4)}
    assert [one.name for one in given[3].supported_features] == ["metadata.version"]
    reported = [(one.name, one.min_version) for one in given[4].supported_features]
    assert ("transaction.version", 0) in reported
    assert ("metadata.version", 7) in reported
    assert given[3].finalized_features == given[4].finalized_features
