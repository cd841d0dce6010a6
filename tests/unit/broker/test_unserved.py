"""What has to do with security is answered as by a Kafka without it."""

from collections.abc import Iterator
from typing import Any

import pytest

from barnabas.broker.dispatch import ROUTES
from barnabas.broker.unserved import WHY_NOT
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.create_delegation_token import CreateDelegationTokenResponse
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    UserName,
)
from barnabas.testing import EmbeddedBroker
from tests.interop.differential.security import questions
from tests.unit.broker.raw_client import RawClient

CODES = {
    ApiKey.DESCRIBE_ACLS: ErrorCode.SECURITY_DISABLED,
    ApiKey.SASL_HANDSHAKE: ErrorCode.ILLEGAL_SASL_STATE,
    ApiKey.SASL_AUTHENTICATE: ErrorCode.ILLEGAL_SASL_STATE,
    ApiKey.CREATE_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.RENEW_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.EXPIRE_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.DESCRIBE_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
}


@pytest.fixture
def client() -> Iterator[RawClient]:
    with EmbeddedBroker() as broker, RawClient(broker.port) as connected:
        yield connected


def test_every_question_has_the_code_of_a_broker_without_security(client: RawClient) -> None:
    for what, api, message in questions():
        for version in range(DECLARED[api].versions.last + 1):
            answer: Any = client.ask(message, version, DECLARED[api].response)
            match api:
                case ApiKey.CREATE_ACLS:
                    asked = len(message.creations)  # type: ignore[attr-defined]
                    codes = [one.error_code for one in answer.results]
                    assert codes == [ErrorCode.SECURITY_DISABLED] * asked, what
                case ApiKey.DELETE_ACLS:
                    rows = answer.filter_results
                    assert [one.error_code for one in rows] == [ErrorCode.SECURITY_DISABLED] * 2
                case _:
                    assert answer.error_code == CODES[api], what
                    if isinstance(answer, CreateDelegationTokenResponse):
                        assert (answer.principal_name, answer.hmac) == ("ANONYMOUS", b"")


def test_nobody_has_a_password(client: RawClient) -> None:
    def reported(users: list[str] | None) -> dict[str, int]:
        named = None if users is None else [UserName(name=one) for one in users]
        request = DescribeUserScramCredentialsRequest(users=named)
        answer = client.ask(request, 0, DescribeUserScramCredentialsResponse)
        assert answer.error_code == ErrorCode.NONE
        return {one.user: one.error_code for one in answer.results}

    assert reported(None) == reported([]) == {}
    assert reported(["me", "you", "you"]) == {
        "me": ErrorCode.RESOURCE_NOT_FOUND,
        "you": ErrorCode.DUPLICATE_RESOURCE,
    }


def test_what_is_not_served_has_a_reason() -> None:
    for key, api in DECLARED.items():
        assert (key in ROUTES and ROUTES[key].versions == api.versions) or WHY_NOT[key], api.name
