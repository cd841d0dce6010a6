import pytest

from barnabas.broker.apis.update_features import handle
from barnabas.errors import ErrorCode
from barnabas.protocol.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.unit.broker.in_memory import a_broker, asked

LEVELS = {
    "group.version": 1,
    "metadata.version": 30,
    "share.version": 1,
    "streams.version": 1,
    "transaction.version": 2,
}


def wanted(feature: str, level: int, kind: int = 1) -> FeatureUpdateKey:
    return FeatureUpdateKey(feature=feature, max_version_level=level, upgrade_type=kind)


def test_levels_that_are_so_are_taken_each_with_a_row() -> None:
    updates = [wanted(name, level) for name, level in LEVELS.items()]
    response = handle(a_broker(), asked(1), UpdateFeaturesRequest(feature_updates=updates))
    assert response.error_code == ErrorCode.NONE
    assert [(one.feature, one.error_code) for one in response.results] == [
        (each, 0) for each in LEVELS
    ]


@pytest.mark.parametrize(
    ("update", "word"),
    [
        (wanted("kraft.version", 1), "no feature called kraft.version"),
        (wanted("metadata.version", 7), "has level 30"),
        (wanted("group.version", 2), "has level 1"),
        (wanted("transaction.version", 1, 2), "has level 2"),
        (wanted("group.version", 1, 0), "kind of change 0"),
    ],
)
def test_all_is_refused_where_one_level_is_another(update: FeatureUpdateKey, word: str) -> None:
    updates = [wanted("share.version", 1), update]
    response = handle(a_broker(), asked(1), UpdateFeaturesRequest(feature_updates=updates))
    assert (response.error_code, response.results) == (ErrorCode.INVALID_UPDATE_VERSION, [])
    assert word in (response.error_message or "")


def test_nothing_is_no_failure() -> None:
    nothing = handle(a_broker(), asked(2), UpdateFeaturesRequest(feature_updates=[]))
    assert nothing.error_code == ErrorCode.NONE
