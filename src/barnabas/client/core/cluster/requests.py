"""The requests that several parts of the client make. Encodes nothing."""

from collections.abc import Iterable

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.wire.schema import declaration_of


def api_of(message: object) -> ApiKey:
    """The API that a request message belongs to."""
    key = declaration_of(type(message)).key
    assert key is not None, f"{type(message).__name__} is no request"
    return ApiKey(key)


def metadata_request(topics: Iterable[str] | None, *, create: bool) -> MetadataRequest:
    """Ask about brokers and these topics (None: all topics); `create` those that are missing."""
    rows = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
    return MetadataRequest(topics=rows, allow_auto_topic_creation=create)
