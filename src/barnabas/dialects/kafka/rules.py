"""Behaviour of the bulk APIs that depends on the version and not on the layout, as tables."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.versions import VersionRange, VersionTable


class ProduceRules(NamedTuple):
    """`zstd`: whether batches may be compressed so (KIP-110); `codes`: what older clients get.

    `message_sets`: whether messages of magic 0 and 1 are taken, which end with version 3 (KIP-98).
    """

    zstd: bool
    codes: Mapping[int, ErrorCode]
    message_sets: bool = False


_BEFORE_KIP_112: Mapping[int, ErrorCode] = {
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_LEADER_OR_FOLLOWER
}

_PRODUCE = VersionTable(
    {
        0: ProduceRules(zstd=False, codes=_BEFORE_KIP_112, message_sets=True),
        3: ProduceRules(zstd=False, codes=_BEFORE_KIP_112),
        4: ProduceRules(zstd=False, codes={}),
        7: ProduceRules(zstd=True, codes={}),
    }
)
PRODUCE_RULES = {version: _PRODUCE[version] for version in VersionRange.parse("0-13")}
"""By Produce version. Source: KIP-110, KIP-112."""

_FETCH: VersionTable[Mapping[int, ErrorCode]] = VersionTable({0: _BEFORE_KIP_112, 6: {}})

FETCH_CODES = {version: _FETCH[version] for version in VersionRange.parse("0-18")}
"""What older clients get for a code, by Fetch version. Source: KIP-112."""

FETCH_MAGIC: Mapping[int, int] = {0: 0, 1: 0, 2: 1, 3: 1}
"""The highest magic that an old Fetch version may be given. Source: KIP-32, KIP-98."""

LAST_PARTIAL_FETCH = 2
"""Up to this version a partition's limit cuts a message; later ones get the first whole (KIP-74)."""
