"""DescribeCluster (key 60): the brokers, the controller and the cluster's id (KIP-700).

Versions: 1 endpoint type, 1 brokers or 2 controllers (KIP-919) · 2 fenced brokers (KIP-1073)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=60, versions="0-2", flexible="0+")
class DescribeClusterRequest:
    """Ask for the cluster."""

    include_cluster_authorized_operations: Bool
    endpoint_type: Int8 = on("1+", default=1)
    include_fenced_brokers: Bool = on("2+", default=False)


@message(key=60, versions="0-2", flexible="0+")
class DescribeClusterResponse:
    """The cluster; operations as in Metadata."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    endpoint_type: Int8 = on("1+", default=1)
    cluster_id: String
    controller_id: Int32 = on(default=-1)
    brokers: Array[DescribeClusterBroker]
    cluster_authorized_operations: Int32 = on(default=-(2**31))


@struct
class DescribeClusterBroker:
    """One broker and the address it advertises on the listener that was asked."""

    broker_id: Int32
    host: String
    port: Int32
    rack: String | None = on(default=None)
    is_fenced: Bool = on("2+", default=False)
