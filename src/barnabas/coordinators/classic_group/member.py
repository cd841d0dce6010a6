"""Member: one member of a classic group: its identity, its protocols, its waiting requests."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from barnabas.coordinators.classic_group.replies import Waiter

if TYPE_CHECKING:
    from barnabas.protocol.internal.group_metadata_record import MemberMetadata
    from barnabas.protocol.join_group import JoinGroupResponseMember

Protocols = tuple[tuple[str, bytes], ...]
"""Names in order of preference, each with the member's metadata for the leader."""

NO_ASSIGNMENT = b""


class Identity(NamedTuple):
    """The sender of a request: a member id and, for a static member, its instance id (KIP-345)."""

    member_id: str
    instance_id: str | None = None


@dataclass(slots=True)
class Description:
    """A member under one protocol, as its leader and its group's record get it.

    Most members repeat themselves at each rebalance, so it is made once. `in_record` has an assignment only
    while the record is written.
    """

    protocol: str | None
    to_leader: "JoinGroupResponseMember"
    in_record: "MemberMetadata"


@dataclass(slots=True, kw_only=True)
class Member:
    """One member. Times in milliseconds."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: Protocols
    assignment: bytes = NO_ASSIGNMENT
    joining: Waiter | None = None
    """The JoinGroup request that waits for the end of the join phase."""
    syncing: Waiter | None = None
    """The SyncGroup request that waits for the assignments."""
    is_new: bool = False
    """It has received no response as a member yet, so it sends no heartbeats."""
    knows_its_id: bool = True
    """Whether it was given its id before it joined (KIP-394), or has a lasting name."""
    has_synced: bool = True
    """Whether it requested its assignment of the current generation."""
    silent_until: int = 0
    """When its session ends without a heartbeat, in ms."""
    description: Description | None = field(default=None, init=False, repr=False, compare=False)
    """The last one made; None: none yet, or the member has changed since."""

    @property
    def deadline(self) -> int | None:
        """When it counts as gone, in ms; None while its request waits for other members."""
        waits = self.joining is not None or self.syncing is not None
        return None if waits and not self.is_new else self.silent_until

    def metadata(self, protocol: str | None) -> bytes:
        """Its metadata for a protocol; empty if it does not support it."""
        wanted = protocol or ""
        # Of duplicates, the last one counts.
        for name, metadata in reversed(self.protocols):
            if name == wanted:
                return metadata
        return b""

    @property
    def identity(self) -> Identity:
        """Its member id and instance id."""
        return Identity(self.member_id, self.instance_id)

    def described(self, protocol: str | None) -> Description:
        """This member under a protocol, for its leader and for the record of its group."""
        known = self.description
        if known is None or known.protocol != protocol:
            known = self.description = self._describe(protocol)
        return known

    def _describe(self, protocol: str | None) -> Description:
        # Imported late: a broker starts faster without them, and offsets need no member.
        from barnabas.protocol.internal.group_metadata_record import MemberMetadata
        from barnabas.protocol.join_group import JoinGroupResponseMember

        metadata = self.metadata(protocol)
        return Description(
            protocol,
            JoinGroupResponseMember(
                member_id=self.member_id, group_instance_id=self.instance_id, metadata=metadata
            ),
            MemberMetadata(
                member_id=self.member_id,
                group_instance_id=self.instance_id,
                client_id=self.client_id,
                client_host=self.client_host,
                rebalance_timeout=self.rebalance_timeout_ms,
                session_timeout=self.session_timeout_ms,
                subscription=metadata,
                assignment=NO_ASSIGNMENT,
            ),
        )
