"""The proposal of seed 001, in frames that are made by hand."""

from struct import pack

from barnabas.dialects.proposal.messages import RequestType
from barnabas.lens.languages.proposal import ProposalLens
from barnabas.lens.walks.part import Explained, RequestSummary

LENS = ProposalLens()
HELLO = bytes.fromhex("0000000b 01 00 3610a686 68656c6c6f")
HEADER = pack(">hhih", 0, 0, 7, 2) + b"me"
SETS = pack(">hh", 1, 4) + b"dogs" + pack(">hii", 1, 0, len(HELLO)) + HELLO
PRODUCE = HEADER + pack(">bi", 1, 1000) + SETS
FETCH = (
    pack(">hhih", 1, 0, 8, 0)
    + pack(">iii", -1, 500, 1)
    + pack(">hh", 1, 4) + b"dogs" + pack(">hihq", 1, 0, 1, 42)
)  # fmt: skip
OFFSETS = pack(">hhih", 4, 0, 9, 0) + pack(">h", 4) + b"dogs" + pack(">iqi", 0, -1, 1)
RESPONSES = {
    RequestType.PRODUCE: pack(">ihh", 7, 0, 0) + pack(">hhhq", 1, 0, 1, 42),
    RequestType.FETCH: pack(">ihh", 7, 0, 0) + SETS[:-1],
    RequestType.OFFSETS: pack(">ihh", 7, 0, 0) + pack(">hq", 1, 42),
}


def sized(body: bytes) -> bytes:
    return pack(">i", len(body)) + body


def mistakes(found: Explained) -> list[str]:
    assert [part.start for part in found.parts[1:]] == [part.end for part in found.parts[:-1]]
    assert found.parts[-1].end == len(found.data)
    return [str(fault) for fault in found.faults]


def test_requests() -> None:
    for body, kind in ((PRODUCE, "PRODUCE"), (FETCH, "FETCH"), (OFFSETS, "OFFSETS")):
        found = LENS.request(sized(body))
        assert mistakes(found) == []
        assert found.name == kind
        assert found.asked is not None
        assert found.asked.correlation_id == found.correlation_id
    silent = LENS.request(sized(PRODUCE.replace(pack(">bi", 1, 1000), pack(">bi", 0, 1000))))
    assert (silent.asked, mistakes(silent)) == (None, [])


def test_responses() -> None:
    for kind, body in RESPONSES.items():
        if kind == RequestType.FETCH:  # The set is cut, and says how long it is.
            body = body.replace(pack(">i", len(HELLO)), pack(">i", len(HELLO) - 1))  # noqa: PLW2901
        found = LENS.response(sized(body), RequestSummary(kind, 0, 7))
        assert mistakes(found) == []
        assert found.message is not None


def test_errors_have_their_names() -> None:
    body = pack(">ihh", 7, 0, -1) + pack(">hhhq", 1, 3, 1, -1)
    found = LENS.response(sized(body), RequestSummary(RequestType.PRODUCE, 0, 7))
    meanings = {part.path: part.meaning for part in found.parts}
    assert meanings["header.error"].startswith("UNKNOWN_SERVER_ERROR")
    assert meanings["errors[0]"].startswith("UNKNOWN_TOPIC_OR_PARTITION")


def test_mistakes() -> None:
    given = mistakes(LENS.request(sized(b"\0\2" + PRODUCE[2:])))
    assert given == ["byte 4: header.request_type_id: a type of 0, 1 or 4 expected, not 2"]
    given = mistakes(LENS.request(sized(b"\0\0\0\1" + PRODUCE[4:])))
    assert given == ["byte 6: header.version_id: 0 expected, not 1"]
    cut = LENS.request(sized(FETCH[:-6]))
    assert mistakes(cut) == ["byte 42: topic_offsets[0].offsets[0]: 8 bytes expected, 2 left"]
    wrong = LENS.response(
        sized(RESPONSES[RequestType.OFFSETS]), RequestSummary(RequestType.OFFSETS, 0, 8)
    )
    assert mistakes(wrong) == [
        "byte 4: header.correlation_id: 8 expected, that of the request, not 7"
    ]


def test_what_is_refused_although_it_can_be_read() -> None:
    acks = LENS.request(sized(PRODUCE.replace(pack(">bi", 1, 1000), pack(">bi", -1, 1000))))
    assert mistakes(acks) == [
        "byte 16: required_acks: a number of replicas from 0 on expected, not -1"
    ]
    topic = pack(">h", 4) + b"dogs" + pack(">hihqq", 1, 0, 2, 42, 43)
    fetch = LENS.request(sized(FETCH[:22] + pack(">h", 2) + topic + topic))
    assert mistakes(fetch) == [
        "byte 40: topic_offsets[0].offsets: 1 expected, as many as partitions, not 2",
        "byte 58: topic_offsets[1].topic: dogs occurs twice",
        "byte 70: topic_offsets[1].offsets: 1 expected, as many as partitions, not 2",
    ]
    body = pack(">ihh", 7, 0, 0) + pack(">hhhh", 2, 0, 0, 0)
    answer = LENS.response(sized(body), RequestSummary(RequestType.PRODUCE, 0, 7))
    assert mistakes(answer) == ["byte 18: offsets: 2 expected, as many as errors, not 0"]
