"""kcat as a client: text of one line goes in, and it tells no offsets and no times of writing."""

import json
from collections.abc import Sequence

from tests.interop.peers.kcat import run_kcat
from tests.interop.samples import Sample

# Keys and values with their sizes before them, so that any byte may stand in them.
FRAMED = "%o %T %K %S\n%k%s\n"


class Kcat:
    """librdkafka from the command line."""

    name = "kcat"

    def __init__(self, broker_version: str | None = None) -> None:
        """`broker_version` is what it takes the broker for, rather than to ask."""
        self._options: tuple[str, ...] = (
            ("-X", "api.version.request=false", "-X", f"broker.version.fallback={broker_version}")
            if broker_version
            else ()
        )

    def write(
        self,
        address: str,
        topic: str,
        samples: Sequence[Sample],
        *,
        codec: str = "none",
        idempotent: bool = False,
    ) -> list[int]:
        """See Client.write; keys and values are text without line ends, nothing is empty."""
        lines = [(each.key or b"") + b"\t" + (each.value or b"") for each in samples]
        run_kcat(
            "-b", address, "-P", "-t", topic, "-p", "0", "-K", "\t", "-z", codec,
            "-X", "linger.ms=300", "-X", f"enable.idempotence={str(idempotent).lower()}",
            *self._options, given=b"\n".join(lines),
        )  # fmt: skip
        return []

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """See Client.read."""
        printed = run_kcat(
            "-b", address, "-C", "-t", topic, "-p", "0", "-o", str(start), "-c", str(count),
            "-e", "-q", "-f", FRAMED, *self._options,
        )  # fmt: skip
        return read_framed(printed)

    def ends(self, address: str, topic: str) -> tuple[int, int]:
        """See Finder.ends."""
        return self.at_time(address, topic, -2), self.at_time(address, topic, -1)

    def at_time(self, address: str, topic: str, time_ms: int) -> int:
        """See Finder.at_time."""
        asked = f"{topic}:0:{time_ms}"
        printed = run_kcat("-b", address, "-Q", "-J", "-t", asked, *self._options)
        return int(json.loads(printed)[topic]["0"]["offset"])


def read_framed(output: bytes) -> list[Sample]:
    """Records printed in the form FRAMED; kcat prints -1 as the size of a null, 0 as no time."""
    found = []
    position = 0
    while position < len(output):
        line_end = output.index(b"\n", position)
        _offset, timestamp, key_size, value_size = map(int, output[position:line_end].split())
        position = line_end + 1
        fields: list[bytes | None] = []
        for size in (key_size, value_size):
            fields.append(output[position : position + size] if size >= 0 else None)
            position += max(size, 0)
        position += 1
        found.append(Sample(fields[0], fields[1], timestamp or -1))
    return found
