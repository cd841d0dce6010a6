from barnabas.broker.apis.update_features import handle
from barnabas.errors import ErrorCode
from barnabas.protocol.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.unit.broker.in_memory import a_broker, asked


def test_there_is_no_feature_to_change() -> None:
    wanted = [FeatureUpdateKey(feature="metadata.version", max_version_level=7)]
    said = handle(a_broker(), asked(2), UpdateFeaturesRequest(feature_updates=wanted))
    assert said.error_code == ErrorCode.INVALID_UPDATE_VERSION
    assert "metadata.version" in (said.error_message or "")
    nothing = handle(a_broker(), asked(2), UpdateFeaturesRequest(feature_updates=[]))
    assert nothing.error_code == ErrorCode.NONE
