"""Random numbers of the operating system."""

import random
import uuid

# Topic ids and directory ids are shown with "-" and "_" in base64; one that begins with "-" would be
# taken for an option on a command line, so Kafka draws again, and so do we (Kafka: Uuid.randomUuid).
_FIRST_BYTES_OF_DASH = range(0xF8, 0xFC)


class SystemEntropy:
    """`ports.Entropy` over the operating system; never repeats itself."""

    __slots__ = ("_random",)

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def below(self, bound: int) -> int:
        """A number in [0, bound)."""
        return self._random.randrange(bound)

    def fraction(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def uuid(self) -> bytes:
        """Sixteen bytes of a version 4 UUID whose base64 form does not begin with "-"."""
        while True:
            drawn = uuid.uuid4().bytes
            if drawn[0] not in _FIRST_BYTES_OF_DASH:
                return drawn
