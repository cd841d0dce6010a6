import pytest

from barnabas.client.core.producer.idempotence import (
    MAX_SEQUENCE,
    Action,
    AppendResult,
    Circumstances,
    add_sequence,
    answer_of,
    decide,
)
from barnabas.errors import ErrorCode


def case(
    *,
    idempotent: bool = True,
    early: bool = False,
    splittable: bool = True,
    may_retry: bool = True,
    may_renew: bool = True,
) -> Circumstances:
    return Circumstances(idempotent, early, splittable, may_retry, may_renew)


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER])
def test_what_is_in_the_log_is_stored(code: ErrorCode) -> None:
    assert decide(code, case(may_retry=False)) is Action.STORED


def test_only_several_records_can_be_split() -> None:
    assert decide(ErrorCode.MESSAGE_TOO_LARGE, case()) is Action.SPLIT
    assert decide(ErrorCode.MESSAGE_TOO_LARGE, case(splittable=False)) is Action.FAIL


@pytest.mark.parametrize(
    "code", [ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID]
)
def test_what_is_out_of_order_goes_out_again_unless_only_a_coordinator_has_epochs(
    code: ErrorCode,
) -> None:
    assert decide(code, case()) is Action.RETRY
    assert decide(code, case(idempotent=False)) is Action.FAIL
    assert decide(code, case(may_retry=False)) is Action.FAIL
    assert decide(code, case(may_renew=False)) is Action.FAIL
    assert decide(code, case(early=True, may_renew=False)) is Action.RETRY


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (ErrorCode.NONE, AppendResult.STORED),
        (ErrorCode.DUPLICATE_SEQUENCE_NUMBER, AppendResult.STORED),
        (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, AppendResult.OUT_OF_ORDER),
        (ErrorCode.UNKNOWN_PRODUCER_ID, AppendResult.OUT_OF_ORDER),
        (ErrorCode.REQUEST_TIMED_OUT, AppendResult.OPEN),
        (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, AppendResult.OPEN),
        # The broker that led when the batch came, and no longer does when its followers should have it:
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, AppendResult.OPEN),
        (ErrorCode.KAFKA_STORAGE_ERROR, AppendResult.OPEN),
        (ErrorCode.UNKNOWN_SERVER_ERROR, AppendResult.OPEN),
        (ErrorCode.NOT_ENOUGH_REPLICAS, AppendResult.REJECTED),
        (ErrorCode.INVALID_RECORD, AppendResult.REJECTED),
        (ErrorCode.MESSAGE_TOO_LARGE, AppendResult.REJECTED),
        (ErrorCode.TOPIC_AUTHORIZATION_FAILED, AppendResult.REJECTED),
    ],
)
def test_what_an_answer_says_of_the_log(code: ErrorCode, answer: AppendResult) -> None:
    assert answer_of(code) is answer


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_other_error_is_retried_if_it_is_retriable(code: ErrorCode) -> None:
    special = {
        ErrorCode.NONE,
        ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
    }
    if code not in special:
        expected = Action.RETRY if code.retriable else Action.FAIL
        assert decide(code, case()) is expected
        assert decide(code, case(may_retry=False)) is Action.FAIL


def test_sequences_begin_again_at_0_after_the_largest() -> None:
    assert add_sequence(MAX_SEQUENCE, 1) == 0
    assert add_sequence(MAX_SEQUENCE - 1, 5) == 3
