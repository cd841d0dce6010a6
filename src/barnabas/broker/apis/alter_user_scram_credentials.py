"""AlterUserScramCredentials (key 51): set and remove SCRAM passwords of users (KIP-554).

Does: stores the passwords durably before the response; DescribeUserScramCredentials returns them.
Refuses: more than one change of a user, as Kafka does; salts of more than 4096 bytes.
Ignores: nothing. No listener asks for a password yet.
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.scram_credentials import (
    FEWEST_ITERATIONS,
    LONGEST_SALT,
    MOST_ITERATIONS,
    Credential,
    Mechanism,
    change_credential,
    credentials_of,
)
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.ports import Registry
from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)

Change = ScramCredentialDeletion | ScramCredentialUpsertion


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AlterUserScramCredentialsRequest
) -> Steps[AlterUserScramCredentialsResponse]:
    """Change what can be changed; say of each user what became of it."""
    del context
    asked: dict[str, list[Change]] = {}
    changes: tuple[Change, ...] = (*request.deletions, *request.upsertions)
    for change in changes:
        asked.setdefault(change.name, []).append(change)
    results = []
    for row in asked.items():
        # Other brokers and this one's other requests change the same nodes: it is read and written as one.
        change_one = partial(_changed, broker.registry, *row)
        results.append((yield from broker.registry_calls.make(change_one)))
        yield
    return AlterUserScramCredentialsResponse(results=results)


def _changed(
    registry: Registry, user: str, changes: list[Change]
) -> AlterUserScramCredentialsResult:
    """Make a user's only change; of several, report the first invalid one, or that there are several."""
    code, why = ErrorCode.NONE, None
    try:
        if not user:
            raise BrokerError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "the name of a user is empty")
        mechanism = _mechanism(changes[0].mechanism)
        wanted = _wanted(registry, mechanism, changes[0])
        if len(changes) > 1:
            what = f"{user} is there {len(changes)} times"
            raise BrokerError(ErrorCode.DUPLICATE_RESOURCE, what)
        change_credential(registry, user, mechanism, wanted)
    except KafkaError as error:
        code, why = error.code, error.why
    return AlterUserScramCredentialsResult(user=user, error_code=code, error_message=why)


def _mechanism(number: int) -> Mechanism:
    try:
        return Mechanism(number)
    except ValueError:
        what = f"there is no mechanism {number}"
        raise BrokerError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, what) from None


def _wanted(registry: Registry, mechanism: Mechanism, change: Change) -> Credential | None:
    if isinstance(change, ScramCredentialDeletion):
        if mechanism not in credentials_of(registry, change.name):
            what = f"{change.name} has no password for {mechanism.title}"
            raise BrokerError(ErrorCode.RESOURCE_NOT_FOUND, what)
        return None
    if not FEWEST_ITERATIONS <= change.iterations <= MOST_ITERATIONS:
        what = f"iterations must be between {FEWEST_ITERATIONS} and {MOST_ITERATIONS}"
        raise BrokerError(ErrorCode.UNACCEPTABLE_CREDENTIAL, what)
    if len(change.salt) > LONGEST_SALT:
        what = f"a salt has at most {LONGEST_SALT} bytes, not {len(change.salt)}"
        raise BrokerError(ErrorCode.UNACCEPTABLE_CREDENTIAL, what)
    salt, salted = bytes(change.salt), bytes(change.salted_password)
    return Credential.derived(mechanism, salt, salted, change.iterations)
