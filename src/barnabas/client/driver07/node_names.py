"""Names that are elements of ZooKeeper's paths: of topics, groups and consumers."""

from collections.abc import Sequence

from barnabas.errors import ConfigError, LocalProtocolError

_NOT_IN_NAMES = ("/", "\0")


def check_topic(topic: str) -> None:
    """Raise where no broker can have a topic of that name; none would say so.

    Raises:
        LocalProtocolError: that is so.
    """
    if not _is_name(topic):
        raise LocalProtocolError(f"topic={topic!r}: {_RULE}")


def check_topics(topics: Sequence[str]) -> None:
    """Raise where these cannot be the topics of a consumer.

    Raises:
        LocalProtocolError: that is so.
    """
    if isinstance(topics, str) or not topics:
        raise LocalProtocolError(f"topics={topics!r}: a list with one name or more is needed")
    for topic in topics:
        if not _is_name(topic):
            raise LocalProtocolError(f"topics={list(topics)!r}: {topic!r}: {_RULE}")


def check_property(name: str, value: str) -> None:
    """Raise where a property cannot be the name that it is to be.

    Raises:
        ConfigError: that is so.
    """
    if not _is_name(value):
        raise ConfigError(f"{name}={value}: {_RULE}")


_RULE = 'a name has one character or more, no "/" and no NUL, and is neither "." nor ".."'


def _is_name(text: str) -> bool:
    return text not in {"", ".", ".."} and not any(each in text for each in _NOT_IN_NAMES)
