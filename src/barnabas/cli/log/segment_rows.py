"""Contents of a segment or an index as rows: complete for JSON, short for tables."""

from datetime import UTC, datetime

from barnabas.cli.output.output import Cell
from barnabas.log.file_names import INDEX
from barnabas.log.inspection.segments import InspectedBatch, InspectedEntry, SegmentFault
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.control import read_marker
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec

Row = dict[str, Cell]


def batch_row(found: InspectedBatch, data: memoryview) -> Row:
    """All fields of a batch."""
    header = found.header
    return {
        "position": header.position,
        "size": header.size,
        "first_offset": found.first_offset,
        "last_offset": header.last_offset,
        "records": found.records,
        "magic": header.magic,
        "codec": _codec(header),
        "base_timestamp": header.base_timestamp,
        "max_timestamp": header.max_timestamp,
        "timestamp_type": _type_of_time(header),
        "leader_epoch": header.leader_epoch,
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "transactional": int(header.transactional),
        "marker": _marker(found, data),
        "crc": header.crc,
        "fault": "; ".join(found.faults),
    }


def fault_row(fault: SegmentFault) -> Row:
    """The position after which nothing can be decoded."""
    return {"position": fault.position, "fault": fault.text}


BATCH_COLUMNS = (
    *("position", "size", "offsets", "records", "magic", "codec"),
    *("newest", "epoch", "producer", "notes"),
)


def short_row(found: InspectedBatch | SegmentFault, data: memoryview) -> tuple[Cell, ...]:
    """The short form, with the columns `BATCH_COLUMNS`."""
    if isinstance(found, SegmentFault):
        rest = len(BATCH_COLUMNS) - 2
        return (found.position, *[None] * rest, found.text)
    header = found.header
    offsets = str(header.last_offset)
    if found.first_offset != header.last_offset:
        offsets = f"{found.first_offset} to {offsets}"
    producer = ""
    if header.producer_id >= 0:
        producer = f"{header.producer_id}/{header.producer_epoch} from {header.base_sequence}"
    notes = [_marker(found, data), "transactional" if header.transactional else ""]
    notes += ["broker's time" if header.log_append_time else "", *found.faults]
    return (
        header.position,
        header.size,
        offsets,
        found.records,
        header.magic,
        _codec(header),
        time_text(header.max_timestamp),
        header.leader_epoch if header.leader_epoch >= 0 else None,
        producer,
        ", ".join(filter(None, notes)),
    )


def entry_row(found: InspectedEntry | SegmentFault, kind: str) -> Row:
    """An entry of an index."""
    value = "position" if kind == INDEX else "timestamp"
    if isinstance(found, SegmentFault):
        return {"at": found.position, "offset": None, value: None, "fault": found.text}
    return {"at": found.position, "offset": found.offset, value: found.value, "fault": found.fault}


def time_text(milliseconds: int) -> str:
    """A timestamp in UTC; empty for none."""
    if milliseconds < 0:
        return ""
    try:
        when = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return str(milliseconds)
    return when.isoformat(" ", "milliseconds").removesuffix("+00:00")


def _codec(header: BatchHeader) -> str:
    return Codec(header.codec).name.lower() if header.codec <= HIGHEST_CODEC else str(header.codec)


def _type_of_time(header: BatchHeader) -> str:
    if not header.magic:
        return "none"
    return "append" if header.log_append_time else "create"


def _marker(found: InspectedBatch, data: memoryview) -> str:
    header = found.header
    if not header.control or found.faults:
        return ""
    marker = read_marker(data[header.position : header.end])
    if marker is None:
        return "control"
    return "commit" if marker.committed else "abort"
