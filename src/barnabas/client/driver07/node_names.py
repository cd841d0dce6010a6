"""Names of topics, groups and consumers as elements of ZooKeeper paths."""

from collections.abc import Sequence

from barnabas.errors import ConfigError, LocalProtocolError

_NOT_IN_NAMES = ("/", "\0")


def check_topic(topic: str) -> None:
    """Check that brokers can have a topic of that name; they would not report it.

    Raises:
        LocalProtocolError: they cannot.
    """
    if not _is_name(topic):
        raise LocalProtocolError(f"topic={topic!r}: {_RULE}")


def check_topics(topics: Sequence[str]) -> None:
    """Check the topics of a consumer.

    Raises:
        LocalProtocolError: the list is empty, or a name is invalid.
    """
    if isinstance(topics, str) or not topics:
        raise LocalProtocolError(f"topics={topics!r}: expected a list with one name or more")
    for topic in topics:
        if not _is_name(topic):
            raise LocalProtocolError(f"topics={list(topics)!r}: {topic!r}: {_RULE}")


def check_property(name: str, value: str) -> None:
    """Check a property that is used as a name.

    Raises:
        ConfigError: it is not a valid name.
    """
    if not _is_name(value):
        raise ConfigError(f"{name}={value}: {_RULE}")


_RULE = 'a name has one character or more, no "/" and no NUL, and is neither "." nor ".."'


def _is_name(text: str) -> bool:
    return text not in {"", ".", ".."} and not any(each in text for each in _NOT_IN_NAMES)
