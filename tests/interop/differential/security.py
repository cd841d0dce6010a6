"""Scripts about access rules, tokens, passwords and SASL, to brokers that have no security."""

from collections.abc import Iterator, Mapping
from functools import partial

from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
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
    DescribeUserScramCredentialsResponse,
    UserName,
)
from barnabas.protocol.expire_delegation_token import ExpireDelegationTokenRequest
from barnabas.protocol.renew_delegation_token import RenewDelegationTokenRequest
from barnabas.protocol.sasl_authenticate import SaslAuthenticateRequest
from barnabas.protocol.sasl_handshake import SaslHandshakeRequest
from tests.interop.differential.talk import Talk

ANY, TOPIC, READ, ALLOW, LITERAL = 1, 2, 3, 3, 3
Question = tuple[str, ApiKey, object]
_Change = ScramCredentialDeletion | ScramCredentialUpsertion


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
        response = SaslHandshakeRequest(mechanism=mechanism)
        yield mechanism, ApiKey.SASL_HANDSHAKE, response
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


SHA_256, SHA_512 = 1, 2


def _gone(user: str, mechanism: int = SHA_256) -> ScramCredentialDeletion:
    return ScramCredentialDeletion(name=user, mechanism=mechanism)


def _there(
    user: str, mechanism: int = SHA_256, *, iterations: int = 4096, salt: bytes = b"salt"
) -> ScramCredentialUpsertion:
    return ScramCredentialUpsertion(
        name=user,
        mechanism=mechanism,
        iterations=iterations,
        salt=salt,
        salted_password=b"salted",
    )


_CHANGES: Mapping[str, tuple[_Change, ...]] = {
    "one": (_there("a"),),
    "the other mechanism": (_there("a", SHA_512, iterations=16384),),
    "another one": (_there("a", iterations=5000),),
    "both at once": (_there("b"), _there("b", SHA_512)),
    "twice the same": (_there("c"), _there("c", iterations=8192)),
    "three of one": (_there("c"), _there("c"), _there("c")),
    "removed and set": (_gone("a"), _there("a", iterations=6000)),
    "removed here, set there": (_gone("a"), _there("a", SHA_512, iterations=7000)),
    "few iterations": (_there("d", iterations=4095),),
    "many iterations": (_there("d", iterations=16385),),
    "no such mechanism": (_there("d", 0), _there("e", 7), _there("f")),
    "good and bad": (_there("d"), _there("d", 7)),
    "bad and good": (_there("d", 7), _there("d")),
    "no salt": (_there("g", salt=b""),),
    "no name": (_there(""),),
    "nobody removed": (_gone(""),),
    "removed what is not there": (_gone("nobody"), _gone("f", SHA_512)),
    "removed no such mechanism": (_gone("f", 9),),
    "removed twice": (_gone("f"), _gone("f")),
    "removed both": (_gone("b"), _gone("b", SHA_512)),
    "nothing": (),
}
"""By label: what is changed at once, of users called by letters."""


def passwords(talk: Talk) -> None:
    """Set, described, removed, and what cannot be."""
    for label, changes in _CHANGES.items():
        talk.ask(label, _altered(*changes), 0)
        last = _there("seen", iterations=4096 + len(talk.answers))
        talk.wait(_altered(last), 0, bool)
        seen = DescribeUserScramCredentialsRequest(users=[UserName(name=last.name)])
        talk.wait(seen, 0, partial(_has, last.iterations))
        users = [UserName(name=user) for user in "abcdefg"]
        talk.ask(f"{label}, returned", DescribeUserScramCredentialsRequest(users=users), 0)
    everybody = DescribeUserScramCredentialsRequest(users=None)
    talk.ask("everybody", everybody, 0)
    for label, one in {
        "a gone": _gone("a"), "a gone, other": _gone("a", SHA_512), "d gone": _gone("d"),
        "f gone": _gone("f"), "g gone": _gone("g"), "seen gone": _gone("seen"),
    }.items():  # fmt: skip
        talk.ask(label, _altered(one), 0)
    talk.wait(everybody, 0, lambda response: not response.results)


def _altered(*changes: _Change) -> AlterUserScramCredentialsRequest:
    return AlterUserScramCredentialsRequest(
        deletions=[one for one in changes if isinstance(one, ScramCredentialDeletion)],
        upsertions=[one for one in changes if isinstance(one, ScramCredentialUpsertion)],
    )


def _has(iterations: int, response: DescribeUserScramCredentialsResponse) -> bool:
    infos = response.results[0].credential_infos
    return bool(infos) and infos[0].iterations == iterations


SCENARIOS = (security, passwords)
