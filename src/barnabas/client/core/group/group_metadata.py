"""What tells one membership from another: for producers that commit a consumer's offsets (KIP-447)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupMetadata:
    """A member of a group in one generation; -1 and an empty id where it is none now."""

    group_id: str
    generation: int = -1
    member_id: str = ""
    instance_id: str | None = None
