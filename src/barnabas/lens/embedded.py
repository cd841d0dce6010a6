"""Bytes inside of messages that have a layout of their own: what consumers tell each other.

Groups of other kinds (Kafka Connect's) put something else there: what does not fit stays bytes.
Source: KIP-62, KIP-429; seed 002 "Group Membership API".
"""

from functools import partial

from barnabas.lens.fields import Contents, FieldReader, layout_in
from barnabas.lens.walk import Broken, Content, Walk
from barnabas.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from barnabas.protocol.describe_groups import DescribedGroupMember
from barnabas.protocol.join_group import JoinGroupRequestProtocol, JoinGroupResponseMember
from barnabas.protocol.sync_group import SyncGroupRequestAssignment, SyncGroupResponse
from barnabas.wire.encoding import CLASSIC
from barnabas.wire.schema import declaration_of


def _read(walk: Walk, path: str, declared: type) -> None:
    trial = Walk(walk.data, walk.position, walk.end)
    newest = declaration_of(declared).versions.last
    try:
        version = trial.number("h", f"{path}.version", "The version of what follows.")
        layout = layout_in(declared, max(0, min(version, newest)), CLASSIC)
        FieldReader(trial, Contents(_no_records, {})).struct(layout, path + ".")
    except Broken:
        return
    if not trial.faults and (not trial.left or version > newest):
        walk.parts += trial.parts
        walk.rest(path, "of a newer version")
        walk.position = walk.end


def _no_records(walk: Walk, path: str) -> None:
    walk.rest(path, "")


_subscription = partial(_read, declared=ConsumerProtocolSubscription)
_assignment = partial(_read, declared=ConsumerProtocolAssignment)

KNOWN_BYTES: dict[tuple[type, str], Content] = {
    (JoinGroupRequestProtocol, "metadata"): _subscription,
    (JoinGroupResponseMember, "metadata"): _subscription,
    (SyncGroupRequestAssignment, "assignment"): _assignment,
    (SyncGroupResponse, "assignment"): _assignment,
    (DescribedGroupMember, "member_metadata"): _subscription,
    (DescribedGroupMember, "member_assignment"): _assignment,
}
"""By struct and field."""
