"""The positions that a group of today has, which others are compared with."""

from barnabas.client.sync.admin import Admin
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition


def saved_offsets(admin: Admin, group: str) -> dict[TopicPartition, int]:
    """The positions of a group; none of one that does not exist."""
    try:
        found = admin.list_group_offsets(group)
    except BrokerError as error:
        if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
            raise
        return {}
    return {where: each.offset for where, each in found.items()}
