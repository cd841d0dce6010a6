"""StreamsGroupTopologyDescriptionUpdate (key 93): a topology for people to read (KIP-1331)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=93, versions="0", flexible="0+")
class StreamsGroupTopologyDescriptionUpdateRequest:
    """The description that the broker asked for in a heartbeat."""

    group_id: String
    member_id: String
    topology_epoch: Int32
    topology_description: TopologyDescription


@struct
class TopologyDescription:
    """The topology as nodes."""

    subtopologies: Array[TopologyDescriptionSubtopology]
    global_stores: Array[TopologyDescriptionGlobalStore]


@struct
class TopologyDescriptionSubtopology:
    """The nodes of one subtopology."""

    subtopology_id: String
    nodes: Array[TopologyDescriptionNode]


@struct
class TopologyDescriptionNode:
    """One node, a source, processor or sink, and the names of those behind it."""

    name: String
    node_type: Int8
    source_topics: Array[String]
    sink_topic: String | None = on(default=None)
    stores: Array[String]
    successors: Array[String]


@struct
class TopologyDescriptionGlobalStore:
    """A store that every member has whole, and what fills it."""

    source: TopologyDescriptionNode
    processor: TopologyDescriptionNode


@message(key=93, versions="0", flexible="0+")
class StreamsGroupTopologyDescriptionUpdateResponse:
    """Whether it was taken."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
