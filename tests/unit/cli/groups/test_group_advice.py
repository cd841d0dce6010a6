import pytest

from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.groups.group_advice import explain_members
from barnabas.errors import BrokerError, ErrorCode


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        (ErrorCode.NON_EMPTY_GROUP, "; it has members: end them first"),
        (ErrorCode.UNKNOWN_MEMBER_ID, "; it has members: end them first"),
        (ErrorCode.GROUP_ID_NOT_FOUND, ""),
    ],
)
def test_a_refusal_for_members_that_have_just_come_says_to_end_them(
    code: ErrorCode, hint: str
) -> None:
    with pytest.raises(BrokerError) as raised, explain_members():
        raise BrokerError(code, "group g: no")
    assert with_hints(raised.value) == f"{code.name}: group g: no{hint}"
