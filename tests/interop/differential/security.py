"""Scripts about access rules, tokens, passwords and SASL, to brokers that have no security."""

from collections.abc import Iterator

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.create_acls import AclCreation, CreateAclsRequest
from barnabas.protocol.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from barnabas.protocol.describe_acls import DescribeAclsRequest
from barnabas.protocol.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from barnabas.protocol.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from barnabas.protocol.expire_delegation_token import ExpireDelegationTokenRequest
from barnabas.protocol.renew_delegation_token import RenewDelegationTokenRequest
from barnabas.protocol.sasl_authenticate import SaslAuthenticateRequest
from barnabas.protocol.sasl_handshake import SaslHandshakeRequest
from tests.interop.differential.talk import Talk

ANY, TOPIC, READ, ALLOW, LITERAL = 1, 2, 3, 3, 3
Question = tuple[str, ApiKey, object]


def questions() -> Iterator[Question]:
    """What is asked in every version: its name, its API, the message."""
    rule = AclCreation(
        resource_type=TOPIC,
        resource_name="t",
        resource_pattern_type=LITERAL,
        principal="User:me",
        host="*",
        operation=READ,
        permission_type=ALLOW,
    )
    found = DeleteAclsFilter(
        resource_type_filter=ANY,
        resource_name_filter=None,
        pattern_type_filter=LITERAL,
        principal_filter=None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
    )
    all_rules = DescribeAclsRequest(
        resource_type_filter=ANY,
        resource_name_filter=None,
        pattern_type_filter=LITERAL,
        principal_filter=None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
    )
    renewer = CreatableRenewers(principal_type="User", principal_name="you")
    token = CreateDelegationTokenRequest(renewers=[renewer], max_lifetime_ms=1000)
    owner = DescribeDelegationTokenOwner(principal_type="User", principal_name="me")
    yield "rules", ApiKey.DESCRIBE_ACLS, all_rules
    yield "a rule", ApiKey.CREATE_ACLS, CreateAclsRequest(creations=[rule, rule])
    yield "no rule", ApiKey.CREATE_ACLS, CreateAclsRequest(creations=[])
    yield "rules gone", ApiKey.DELETE_ACLS, DeleteAclsRequest(filters=[found, found])
    yield "a token", ApiKey.CREATE_DELEGATION_TOKEN, token
    renewed = RenewDelegationTokenRequest(hmac=b"secret", renew_period_ms=10)
    yield "a token renewed", ApiKey.RENEW_DELEGATION_TOKEN, renewed
    ended = ExpireDelegationTokenRequest(hmac=b"secret", expiry_time_period_ms=10)
    yield "a token ended", ApiKey.EXPIRE_DELEGATION_TOKEN, ended
    yield "tokens", ApiKey.DESCRIBE_DELEGATION_TOKEN, DescribeDelegationTokenRequest(owners=None)
    mine = DescribeDelegationTokenRequest(owners=[owner])
    yield "my tokens", ApiKey.DESCRIBE_DELEGATION_TOKEN, mine
    for mechanism in ("PLAIN", "nonsense"):
        said = SaslHandshakeRequest(mechanism=mechanism)
        yield mechanism, ApiKey.SASL_HANDSHAKE, said
    yield "who I am", ApiKey.SASL_AUTHENTICATE, SaslAuthenticateRequest(auth_bytes=b"\0me\0secret")


def security(talk: Talk) -> None:
    """Every question in every version of today, and about passwords."""
    for what, api, message in questions():
        versions = DECLARED[api].versions
        first = 0 if api in (ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE) else 1
        for version in range(first, versions.last + 1):
            talk.ask(f"{what} in {version}", message, version)
    users = [UserName(name="me"), UserName(name="you"), UserName(name="you"), UserName(name="")]
    for what, asked in {"all": None, "none": [], "some": users}.items():
        request = DescribeUserScramCredentialsRequest(users=asked)
        talk.ask(f"passwords of {what}", request, 0)
    mine = CreateDelegationTokenRequest(
        owner_principal_type="User",
        owner_principal_name="me",
        renewers=[],
        max_lifetime_ms=-1,
    )
    talk.ask("a token for somebody", mine, 3)


SCENARIOS = (security,)
