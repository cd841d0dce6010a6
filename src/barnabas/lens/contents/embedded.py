"""Bytes fields with a layout of their own, such as consumer subscriptions and assignments.

Groups of other kinds (Kafka Connect's) use these fields differently: what does not fit stays bytes.
Source: KIP-62, KIP-429, KIP-590; seed 002 "Group Membership API".
"""

from functools import partial
from ipaddress import ip_address

from barnabas.lens.contents import sasl
from barnabas.lens.walks.fields import Contents, FieldReader, encoding_in, layout_in
from barnabas.lens.walks.walk import Content, UnreadableBytes, Walk
from barnabas.protocol.alter_user_scram_credentials import ScramCredentialUpsertion
from barnabas.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from barnabas.protocol.create_delegation_token import CreateDelegationTokenResponse
from barnabas.protocol.describe_delegation_token import DescribedDelegationToken
from barnabas.protocol.describe_groups import DescribedGroupMember
from barnabas.protocol.envelope import EnvelopeRequest
from barnabas.protocol.expire_delegation_token import ExpireDelegationTokenRequest
from barnabas.protocol.internal.state_files import DefaultPrincipalData
from barnabas.protocol.join_group import JoinGroupRequestProtocol, JoinGroupResponseMember
from barnabas.protocol.renew_delegation_token import RenewDelegationTokenRequest
from barnabas.protocol.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from barnabas.protocol.sync_group import SyncGroupRequestAssignment, SyncGroupResponse
from barnabas.wire.schema import declaration_of


def _read(walk: Walk, path: str, declared: type) -> None:
    trial = Walk(walk.data, walk.position, walk.end)
    newest = declaration_of(declared).versions.last
    try:
        version = trial.number("h", f"{path}.version", "The version of what follows.")
        known = max(0, min(version, newest))
        layout = layout_in(declared, known, encoding_in(declared, known))
        FieldReader(trial, Contents(_no_records, {})).struct(layout, path + ".")
    except UnreadableBytes:
        return
    if not trial.faults and (not trial.left or version > newest):
        walk.parts += trial.parts
        walk.rest(path, "of a newer version")
        walk.position = walk.end


def _no_records(walk: Walk, path: str) -> None:
    walk.rest(path, "")


def _secret(walk: Walk, path: str) -> None:
    walk.mask(walk.left, path, "Not shown: it is equivalent to a password.")


def _address(walk: Walk, path: str) -> None:
    data = walk.data[walk.position : walk.end]
    if len(data) in _ADDRESS_SIZES:
        walk.add(len(data), path, "address", str(ip_address(data)), "The client's address.")


_ADDRESS_SIZES = (4, 16)
_subscription = partial(_read, declared=ConsumerProtocolSubscription)
_assignment = partial(_read, declared=ConsumerProtocolAssignment)

KNOWN_BYTES: dict[tuple[type, str], Content] = {
    (JoinGroupRequestProtocol, "metadata"): _subscription,
    (JoinGroupResponseMember, "metadata"): _subscription,
    (SyncGroupRequestAssignment, "assignment"): _assignment,
    (SyncGroupResponse, "assignment"): _assignment,
    (DescribedGroupMember, "member_metadata"): _subscription,
    (DescribedGroupMember, "member_assignment"): _assignment,
    (SaslAuthenticateRequest, "auth_bytes"): sasl.read_sent,
    (SaslAuthenticateResponse, "auth_bytes"): sasl.read_given,
    (EnvelopeRequest, "request_principal"): partial(_read, declared=DefaultPrincipalData),
    (EnvelopeRequest, "client_host_address"): _address,
    (ScramCredentialUpsertion, "salted_password"): _secret,
    (CreateDelegationTokenResponse, "hmac"): _secret,
    (RenewDelegationTokenRequest, "hmac"): _secret,
    (ExpireDelegationTokenRequest, "hmac"): _secret,
    (DescribedDelegationToken, "hmac"): _secret,
}
"""By struct and field."""
