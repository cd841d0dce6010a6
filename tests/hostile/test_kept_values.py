"""What an administrator's request leaves is kept for ever: each value is bounded."""

import pytest

from barnabas.broker.apis.alter_user_scram_credentials import handle
from barnabas.broker.properties.scram_credentials import LONGEST_SALT, credentials_of
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from tests.unit.broker.in_memory import a_broker, asked


@pytest.mark.parametrize("size", [LONGEST_SALT, LONGEST_SALT + 1, 1_000_000])
def test_a_salt_is_short(size: int) -> None:
    broker = a_broker()
    upsertion = ScramCredentialUpsertion(
        name="me", mechanism=1, iterations=4096, salt=bytes(size), salted_password=bytes(32)
    )
    request = AlterUserScramCredentialsRequest(deletions=[], upsertions=[upsertion])
    (result,) = handle(broker, asked(0), request).results
    is_kept = size <= LONGEST_SALT
    assert result.error_code == (ErrorCode.NONE if is_kept else ErrorCode.UNACCEPTABLE_CREDENTIAL)
    assert bool(credentials_of(broker.registry, "me")) == is_kept
