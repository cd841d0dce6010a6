"""Requests used by several parts of the client. Encodes nothing."""

from collections.abc import Iterable

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.wire.schema import declaration_of


def api_of(message: object) -> ApiKey:
    """The API of a request message."""
    key = declaration_of(type(message)).key
    assert key is not None, f"{type(message).__name__} is not a request"
    return ApiKey(key)


def metadata_request(
    topics: Iterable[str] | None, *, create: bool, version: int
) -> MetadataRequest:
    """Request brokers and these topics (None: all topics); `create` missing ones.

    Before version 4, brokers decide themselves whether they create one. In version 0 no topics means all.
    """
    rows = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
    if rows is None and version == 0:
        rows = []
    return MetadataRequest(topics=rows, allow_auto_topic_creation=create)
