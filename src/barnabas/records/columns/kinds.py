"""Whether a buffer holds only plain batches, by one kernel call."""

from array import array

from barnabas.kernels import layout
from barnabas.kernels.batches import batch_rows
from barnabas.records.batches.batch import TRANSACTIONAL
from barnabas.types import Buffer


def are_plain(buffer: Buffer) -> bool:
    """Whether all whole batches are of magic 2 and without a transaction.

    Also false for damaged ones: reading them batch by batch finds the error.
    """
    rows = batch_rows.count(buffer)
    if rows <= 0:
        return False
    table = array("q", bytes(8 * layout.WIDTH * rows))
    seen = batch_rows.walk(buffer, table, array("q", bytes(8 * layout.STATE)))
    return seen >= 0 and not seen & TRANSACTIONAL
