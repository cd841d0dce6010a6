"""Recording: write relayed connections to a pcap file, for `explain` and other tools.

Only the payload is real. TCP and IP headers are generated around it, so that tools find the
streams.
"""

from collections.abc import Callable

from barnabas.lens.capture.pcap import FILE_HEAD, packet_bytes
from barnabas.lens.capture.segments import ACK, FIN, SYN, TcpSegment, segment_packet

_MOST_BYTES = 32768
_WHOLE = 1 << 32


class RecordedConnection:
    """One connection; both sides count from 1, as after a SYN of 0."""

    def __init__(self, recording: "Recording", client: str, broker: str, time_ns: int) -> None:
        self._recording = recording
        client, broker = _numeric(client), _numeric(broker)
        self._sides = {True: (client, broker), False: (broker, client)}
        self._next = {True: 1, False: 1}
        self._put(time_ns, 0, SYN, b"", from_client=True)
        self._put(time_ns, 0, SYN | ACK, b"", from_client=False)

    def record(self, data: bytes, time_ns: int, *, from_client: bool) -> None:
        """Write bytes of one side."""
        for start in range(0, len(data), _MOST_BYTES):
            piece = data[start : start + _MOST_BYTES]
            self._put(time_ns, self._next[from_client], ACK, piece, from_client=from_client)
            self._next[from_client] = (self._next[from_client] + len(piece)) % _WHOLE

    def ended(self, time_ns: int) -> None:
        """Write that both sides are closed."""
        for from_client in (True, False):
            flags = FIN | ACK
            self._put(time_ns, self._next[from_client], flags, b"", from_client=from_client)

    def _put(
        self, time_ns: int, sequence: int, flags: int, data: bytes, *, from_client: bool
    ) -> None:
        source, target = self._sides[from_client]
        segment = TcpSegment(time_ns, source, target, sequence, flags, data)
        self._recording.write(packet_bytes(time_ns, segment_packet(segment)))


class Recording:
    """`write` receives the bytes of the file, in order."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.write = write
        write(FILE_HEAD)

    def connection(self, client: str, broker: str, time_ns: int) -> RecordedConnection:
        """Start a connection; the addresses are numeric, `host:port`."""
        return RecordedConnection(self, client, broker, time_ns)


def _numeric(address: str) -> str:
    """The address, or 0.0.0.0 if the side left before it was known."""
    return address if address.rpartition(":")[2].isdecimal() else "0.0.0.0:0"
