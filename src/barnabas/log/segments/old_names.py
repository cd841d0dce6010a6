"""Old names: segments of Kafka 0.7 and Jafka get the names that segments have here.

0.7 reads segments of any number of digits; those of Jafka differ in nothing but the suffix.
Source: Kafka 0.7.2's Log.loadSegments.
"""

import logging
import re

from barnabas.log.file_names import JAFKA_LOG, OLD_LOG, segment_name
from barnabas.ports import Disk

log = logging.getLogger(__name__)

_SEGMENT = re.compile(rf"(\d{{1,20}})({re.escape(OLD_LOG)}|{re.escape(JAFKA_LOG)})", re.ASCII)


def parse_old_name(name: str) -> int | None:
    """The base offset of a segment of Kafka 0.7 or Jafka; None for any other file."""
    found = _SEGMENT.fullmatch(name)
    return int(found[1]) if found else None


def without_old_names(disk: Disk, directory: str, names: set[str]) -> set[str]:
    """The names after each segment of old has got today's name, unless there is another one of it.

    Raises:
        StorageError: one cannot be renamed.
    """
    for name in sorted(names):
        base = parse_old_name(name)
        new = name if base is None else segment_name(base) + OLD_LOG
        if new == name:
            continue
        if new in names:
            log.warning(
                "two segments begin at the same byte: one is passed over",
                extra={"directory": directory, "segment": name, "kept": new},
            )
            continue
        disk.rename(f"{directory}/{name}", f"{directory}/{new}")
        names = names - {name} | {new}
    return names
