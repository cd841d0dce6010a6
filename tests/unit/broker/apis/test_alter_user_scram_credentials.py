from barnabas.broker.apis import describe_user_scram_credentials
from barnabas.broker.apis.alter_user_scram_credentials import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from barnabas.protocol.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from tests.unit.broker.in_memory import a_broker, asked


def there(name: str, mechanism: int = 1, iterations: int = 4096) -> ScramCredentialUpsertion:
    return ScramCredentialUpsertion(
        name=name,
        mechanism=mechanism,
        iterations=iterations,
        salt=b"salt",
        salted_password=b"salted",
    )


def gone(name: str, mechanism: int = 1) -> ScramCredentialDeletion:
    return ScramCredentialDeletion(name=name, mechanism=mechanism)


def alter(
    broker: Broker, *changes: ScramCredentialDeletion | ScramCredentialUpsertion
) -> dict[str, int]:
    request = AlterUserScramCredentialsRequest(
        deletions=[one for one in changes if isinstance(one, ScramCredentialDeletion)],
        upsertions=[one for one in changes if isinstance(one, ScramCredentialUpsertion)],
    )
    return {one.user: one.error_code for one in handle(broker, asked(0), request).results}


def reported(broker: Broker, *users: str) -> dict[str, tuple[int, list[tuple[int, int]]]]:
    names = [UserName(name=user) for user in users]
    response = describe_user_scram_credentials.handle(
        broker, asked(0), DescribeUserScramCredentialsRequest(users=names or None)
    )
    return {
        one.user: (
            one.error_code,
            [(info.mechanism, info.iterations) for info in one.credential_infos],
        )
        for one in response.results
    }


def test_passwords_are_set_described_and_removed() -> None:
    broker = a_broker()
    assert alter(broker, there("a"), there("b")) == {"a": 0, "b": 0}
    assert alter(broker, there("a", 2, 9000)) == {"a": 0}
    assert reported(broker) == {"a": (0, [(1, 4096), (2, 9000)]), "b": (0, [(1, 4096)])}
    assert alter(broker, there("a", 1, 5000), gone("b")) == {"a": 0, "b": 0}
    assert reported(broker, "a", "b") == {
        "a": (0, [(1, 5000), (2, 9000)]),
        "b": (ErrorCode.RESOURCE_NOT_FOUND, []),
    }
    assert reported(broker, "a", "a") == {"a": (ErrorCode.DUPLICATE_RESOURCE, [])}


def test_what_cannot_be_changes_nothing() -> None:
    broker = a_broker()
    assert alter(
        broker, there("few", 1, 4095), there("many", 1, 16385), there("")
    ) == dict.fromkeys(("few", "many", ""), ErrorCode.UNACCEPTABLE_CREDENTIAL)
    assert alter(broker, there("a", 3)) == {"a": ErrorCode.UNSUPPORTED_SASL_MECHANISM}
    assert alter(broker, gone("a")) == {"a": ErrorCode.RESOURCE_NOT_FOUND}
    assert alter(broker, there("a"), there("a")) == {"a": ErrorCode.DUPLICATE_RESOURCE}
    assert alter(broker, there("a"), there("a", 2, 1)) == {"a": ErrorCode.DUPLICATE_RESOURCE}
    assert alter(broker, there("a", 2, 1), there("a")) == {"a": ErrorCode.UNACCEPTABLE_CREDENTIAL}
    assert reported(broker) == {}
