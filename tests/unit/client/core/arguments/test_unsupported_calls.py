import pytest

from barnabas import Consumer, Producer, aio
from barnabas.client.core.arguments.unsupported_calls import (
    CONSUMER,
    PRODUCER,
    unsupported_attribute,
)

KINDS = (
    (Consumer, CONSUMER),
    (aio.Consumer, CONSUMER),
    (Producer, PRODUCER),
    (aio.Producer, PRODUCER),
)


def test_what_other_clients_call_is_answered_with_what_to_do_instead() -> None:
    with pytest.raises(AttributeError, match=r"a Consumer has no 'getmany': poll\(timeout_s"):
        unsupported_attribute("Consumer", CONSUMER, "getmany")
    with pytest.raises(AttributeError, match=r"a Consumer has no 'gtmany'$"):
        unsupported_attribute("Consumer", CONSUMER, "gtmany")


def test_only_names_that_are_not_there_are_answered_so() -> None:
    for kind, instead in KINDS:
        assert [name for name in instead if hasattr(kind, name)] == []
