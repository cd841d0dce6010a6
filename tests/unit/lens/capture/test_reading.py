"""Where one frame ends and the next begins, and whether the first has a size."""

from barnabas.lens.capture.reading import read_requests
from barnabas.lens.languages.kafka07 import Kafka07Lens
from tests.wires import golden07


def test_a_size_that_is_right_is_no_missing_one() -> None:
    """With a topic whose length is wrong, the rest of an OFFSETS request would be one of PRODUCE."""
    frame = bytearray(golden07.LATEST)
    frame[6:8] = b"\x04\x00"
    (reported,) = read_requests(Kafka07Lens(), bytes(frame))
    assert reported.explained.name == "OFFSETS"
    assert [str(one) for one in reported.explained.faults] == [
        "byte 6: topic: a length of 1024 with 20 bytes left (perhaps it is in little-endian order)"
    ]


def test_a_size_that_is_missing_is_named() -> None:
    (reported,) = read_requests(Kafka07Lens(), golden07.LATEST[4:])
    assert reported.explained.name == "OFFSETS"
    assert [one.path for one in reported.explained.faults] == ["size"]
