"""The readable part of a fetched part with a damaged batch: everything before that batch."""

from collections.abc import Iterable
from dataclasses import replace

from barnabas.client.core.consumer.fetched import FetchedRecords
from barnabas.errors import CorruptRecord
from barnabas.records.batches.batch import walk
from barnabas.records.columns.reading import decode_records


def sound_parts(
    parts: Iterable[tuple[FetchedRecords, int]], *, check_crcs: bool
) -> tuple[list[tuple[FetchedRecords, int]], CorruptRecord | None]:
    """Return the parts of one partition up to the first damaged batch, each with its start; and the error.

    The last part is cut there, and its `next_offset` is that of the batch. It decodes everything,
    batch by batch: use it only for parts that could not be decoded as a whole.
    """
    sound = []
    for part, start in parts:
        end, after, error = 0, start, None
        for header in walk(part.records):
            batch = part.records[header.position : header.position + header.size]
            error = _fault(replace(part, records=batch), start, check_crcs=check_crcs)
            if error is not None:
                break
            end, after = header.position + header.size, max(after, header.next_offset)
        if error is not None:
            sound.append((replace(part, records=part.records[:end], next_offset=after), start))
            where = f"{part.where.topic}-{part.where.partition}, batch at offset {after}"
            # The batch's end is in its own header, which may be damaged.
            further = header.next_offset
            past = str(further) if after < further <= part.next_offset else "an offset past it"
            return sound, CorruptRecord(f"{where}: {error}; seek to {past} to continue")
        sound.append((part, start))
    return sound, None


def _fault(part: FetchedRecords, start: int, *, check_crcs: bool) -> CorruptRecord | None:
    try:
        decode_records(
            part.records,
            part.where.topic,
            part.where.partition,
            start=start,
            check_crcs=check_crcs,
            aborted=part.aborted,
        )
    except CorruptRecord as error:
        return error
    return None
