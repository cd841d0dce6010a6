import itertools

from barnabas.config.releases import RELEASES
from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.releases import apis_of
from barnabas.versions import VersionRange


def test_no_release_has_versions_that_are_not_declared() -> None:
    for release in RELEASES:
        for key, versions in apis_of(release).items():
            if key in APIS:
                assert versions.intersection(APIS[key].versions) == versions, (release, key)


def test_versions_only_grow_but_for_what_4_0_dropped_and_a_request_without_client_id() -> None:
    for older, newer in itertools.pairwise(RELEASES):
        before, after = apis_of(older), apis_of(newer)
        for key in before.keys() & after.keys():
            assert after[key].last >= before[key].last, (newer, key)
            dropped = newer == "4.0" or key is ApiKey.CONTROLLED_SHUTDOWN
            assert dropped or after[key].first == before[key].first, (newer, key)


def test_an_api_begins_and_ends() -> None:
    assert ApiKey.API_VERSIONS not in apis_of("0.9.0")
    assert apis_of("0.10.0")[ApiKey.API_VERSIONS] == VersionRange(0, 0)
    assert ApiKey.LEADER_AND_ISR not in apis_of("3.3")
