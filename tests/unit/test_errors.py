from barnabas.error_codes import OTHER_NAMES
from barnabas.errors import BrokerError, DecodeError, ErrorCode


def test_codes_carry_what_a_client_needs_to_know() -> None:
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER.retriable
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER.stale_metadata
    assert not ErrorCode.TOPIC_ALREADY_EXISTS.retriable
    assert ErrorCode.of(82) is ErrorCode.FENCED_INSTANCE_ID


def test_older_names_lead_to_todays_codes() -> None:
    assert OTHER_NAMES["INVALID_MESSAGE"] is ErrorCode.CORRUPT_MESSAGE


def test_an_unknown_code_keeps_its_number_in_the_text() -> None:
    error = BrokerError(4711)
    assert error.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert "4711" in str(error)


def test_decode_error_says_where_and_what() -> None:
    error = DecodeError("topics[2].name", 17, "a length of at most 40")
    assert str(error) == "topics[2].name at byte 17: a length of at most 40"
