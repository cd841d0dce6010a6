"""A message some of whose arrays were written while they grew has the bytes that its codec writes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.wire.compiler import Codec
from barnabas.wire.growing import GrowingArray, StructWriter
from barnabas.wire.layout import StructLayout
from tests.property.strategies.messages import messages

RESPONSES = [
    (DECLARED[key].response, version)
    for key in (
        ApiKey.DESCRIBE_CONFIGS, ApiKey.DESCRIBE_GROUPS, ApiKey.DESCRIBE_LOG_DIRS,
        ApiKey.DESCRIBE_PRODUCERS, ApiKey.DESCRIBE_TRANSACTIONS, ApiKey.LIST_GROUPS,
        ApiKey.METADATA, ApiKey.OFFSET_FETCH, ApiKey.READ_SHARE_GROUP_STATE,
    )
    for version in DECLARED[key].versions
]  # fmt: skip


def grown(data: st.DataObject, message: Any, writer: StructWriter) -> int:
    """Have some arrays of a message grow, and write what has come of them; the bytes."""
    made = 0
    for field in writer.layout.fields:
        array = getattr(message, field.name)
        if not (field.array and array and isinstance(field.kind, StructLayout)):
            continue
        inner = StructWriter(field.kind, 0)
        growing: GrowingArray[Any] = GrowingArray()
        grows = data.draw(st.booleans())
        for element in array:
            made += grown(data, element, inner)
            growing.add(element)
            if grows and data.draw(st.booleans()):
                made += inner.put(growing)
        setattr(message, field.name, growing.done())
    return made


@given(response=st.sampled_from(RESPONSES), data=st.data())
def test_what_grew_is_written_as_the_codec_writes_it(
    response: tuple[type, int], data: st.DataObject
) -> None:
    declared, version = response
    message = data.draw(messages(declared, version))
    expected = Codec.of(declared, version).encode(message)
    writer = StructWriter.of(declared, version)
    made = grown(data, message, writer)
    parts = writer.write(message)
    assert b"".join(parts) == expected
    assert made <= len(expected)
