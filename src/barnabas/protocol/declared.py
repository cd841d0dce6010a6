"""DECLARED: every API there is a declaration of, also those that nobody here speaks yet.

Apart from `api_keys` because it takes time to import, which a broker does not need to start.
"""

from collections.abc import Mapping
from types import MappingProxyType

from barnabas.protocol.api_keys import APIS, Api, ApiKey, apis_of
from barnabas.protocol.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.protocol.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from barnabas.protocol.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupResponse

DECLARED: Mapping[ApiKey, Api] = MappingProxyType(
    {
        **APIS,
        **apis_of(
            (JoinGroupRequest, JoinGroupResponse),
            (HeartbeatRequest, HeartbeatResponse),
            (LeaveGroupRequest, LeaveGroupResponse),
            (SyncGroupRequest, SyncGroupResponse),
            (DescribeGroupsRequest, DescribeGroupsResponse),
            (ListGroupsRequest, ListGroupsResponse),
            (DeleteGroupsRequest, DeleteGroupsResponse),
            (OffsetDeleteRequest, OffsetDeleteResponse),
            (ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse),
            (ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse),
        ),
    }
)
