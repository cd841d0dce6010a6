"""Record sets since 0.8: batches of magic 2 and messages of magic 0 and 1, down to each record.

Source: KIP-98, KIP-32, seed 002 "Message sets".
"""

from barnabas.lens.contents.batches import read_batch
from barnabas.lens.contents.messages import read_message
from barnabas.lens.walks.walk import UnreadableBytes, Walk, counted_bytes
from barnabas.records.batches.batch import MAGIC_AT

_CUT = "the beginning of a batch: brokers truncate at the limit, readers ignore it"


def read_records(walk: Walk, path: str, *, cut: bool) -> None:
    """Read a record set; mistakes become faults. `cut`: it may be truncated anywhere."""
    index = 0
    while walk.left > 0:
        try:
            if not _read_entry(walk, path, index, cut=cut):
                return
        except UnreadableBytes as broken:
            walk.fault(broken.path, broken.text, broken.position)
            walk.rest(path, "not understood")
            return
        index += 1


def _read_entry(walk: Walk, path: str, index: int, *, cut: bool) -> bool:
    """Read one batch or message; return False if it is truncated by the end of the set."""
    if walk.left <= MAGIC_AT:
        if not cut:
            text = f"a batch expected, {counted_bytes(walk.left)} left"
            walk.fault(path, text)
        walk.rest(path, _CUT if cut else "too short for a batch")
        return False
    magic = walk.data[walk.position + MAGIC_AT]
    if magic == 2:
        return read_batch(walk, f"{path}.batches[{index}]", cut=cut)
    if magic in (0, 1):
        return read_message(walk, f"{path}.messages[{index}]", cut=cut)
    at = walk.position + MAGIC_AT
    raise UnreadableBytes(
        at, f"{path}.batches[{index}].magic", f"a magic of 0, 1 or 2 expected, not {magic}"
    )
