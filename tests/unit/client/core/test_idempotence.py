import pytest

from barnabas.client.core.idempotence import (
    MAX_SEQUENCE,
    Action,
    Circumstances,
    add_sequence,
    decide,
)
from barnabas.errors import ErrorCode


def case(
    *,
    idempotent: bool = True,
    first: bool = True,
    current: bool = True,
    splittable: bool = True,
    may_retry: bool = True,
    may_renew: bool = True,
) -> Circumstances:
    return Circumstances(idempotent, first, current, splittable, may_retry, may_renew)


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER])
def test_what_is_in_the_log_is_stored(code: ErrorCode) -> None:
    assert decide(code, case(may_retry=False)) is Action.STORED


def test_only_several_records_can_be_split() -> None:
    assert decide(ErrorCode.MESSAGE_TOO_LARGE, case()) is Action.SPLIT
    assert decide(ErrorCode.MESSAGE_TOO_LARGE, case(splittable=False)) is Action.FAIL


@pytest.mark.parametrize(
    "code", [ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID]
)
def test_a_lost_sequence_is_renewed_only_by_the_first_batch_of_the_present_epoch(
    code: ErrorCode,
) -> None:
    assert decide(code, case()) is Action.RENEW
    assert decide(code, case(first=False)) is Action.RETRY
    assert decide(code, case(current=False)) is Action.RETRY
    assert decide(code, case(idempotent=False)) is Action.FAIL
    assert decide(code, case(may_retry=False)) is Action.FAIL
    assert decide(code, case(may_renew=False)) is Action.FAIL
    assert decide(code, case(first=False, may_renew=False)) is Action.RETRY


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
