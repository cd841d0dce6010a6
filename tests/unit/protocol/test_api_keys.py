from barnabas.protocol.api_keys import APIS, ApiKey


def test_the_keys_are_those_of_all_releases() -> None:
    assert sorted(ApiKey) == list(range(95))
    assert (ApiKey.PRODUCE, ApiKey.API_VERSIONS, ApiKey.UNREGISTER_CONTROLLER) == (0, 18, 94)


def test_apis_are_found_by_key_and_know_all_versions() -> None:
    fetch = APIS[ApiKey.FETCH]
    assert (fetch.name, str(fetch.versions), str(fetch.flexible)) == ("Fetch", "0-18", "12+")
    assert all(api.key is key for key, api in APIS.items())
