"""All that any release of Kafka has had is declared: APIs, records, error codes."""

from pathlib import Path

from barnabas.error_codes import OTHER_NAMES, ErrorCode
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.internal.record_types import (
    GROUP_RECORDS,
    METADATA_RECORDS,
    REMOTE_LOG_RECORDS,
    SHARE_STATE_RECORDS,
    TRANSACTION_RECORDS,
)
from barnabas.wire.schema import declaration_of
from tests.declarations import every_record

HERE = Path(__file__).parent

SHARED_NUMBERS = {
    "QuotaRecord",
    "RemoteLogSegmentMetadata",
    "RemoteLogSegmentMetadataUpdate",
    "RemotePartitionDeleteMetadata",
}
"""Records whose number another one has taken over."""


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def test_every_api_has_all_versions() -> None:
    declared = [
        [str(int(api.key)), api.name, str(api.versions), str(api.flexible)]
        for api in DECLARED.values()
    ]
    assert declared == rows("apis.txt")


def test_every_record_has_all_versions() -> None:
    declared = {}
    for record in every_record():
        given = declaration_of(record)
        declared[record.__name__] = [str(given.versions), str(given.flexible)]
    assert declared == {name: [versions, flex] for name, versions, flex, _ in rows("records.txt")}


def test_records_are_known_by_their_numbers() -> None:
    known: dict[str, str] = {}
    for keyed in (GROUP_RECORDS, TRANSACTION_RECORDS, SHARE_STATE_RECORDS):
        known |= {record.__name__: str(kind) for kind, pair in keyed.items() for record in pair}
    for plain in (METADATA_RECORDS, REMOTE_LOG_RECORDS):
        known |= {record.__name__: str(number) for number, record in plain.items()}
    theirs = {name: number for name, _, _, number in rows("records.txt") if number != "-"}
    assert known == {name: theirs[name] for name in theirs.keys() - SHARED_NUMBERS}


def test_every_error_code_is_there() -> None:
    ours = [
        [
            str(int(code)),
            code.name,
            "retriable" if code.retriable else "-",
            "stale" if code.stale_metadata else "-",
            code.since,
            ",".join(name for name, other in OTHER_NAMES.items() if other is code) or "-",
        ]
        for code in ErrorCode
    ]
    assert ours == rows("errors.txt")


def test_kio_agrees_on_the_error_codes_that_it_knows() -> None:
    for code, name, retriable in rows("errors_kio.txt"):
        ours = ErrorCode(int(code))
        assert (ours.name, ours.retriable) == (name, retriable == "retriable")
