"""Deadline: when a call must end, and which argument or property says so. Does not wait.

It is created when a user's call starts, and passed to everything that the call waits for:
successive steps share the time.
"""

from dataclasses import dataclass
from typing import Final, Self

from barnabas.errors import BrokerError, ConnectionFailed, KafkaError, RequestTimeout

TIMEOUT: Final = "timeout_s"
API_TIMEOUT: Final = "default.api.timeout.ms"
REQUEST_TIMEOUT: Final = "request.timeout.ms"
MAX_BLOCK: Final = "max.block.ms"
REFUSED: Final = "bootstrap.refused.timeout.ms"


@dataclass(frozen=True, slots=True)
class Deadline:
    """`at` is in monotonic seconds; `seconds` is the whole time, `bound` the name of its argument."""

    at: float
    seconds: float
    bound: str

    @classmethod
    def after(cls, now: float, seconds: float, bound: str) -> Self:
        """A deadline this many seconds from now."""
        return cls(now + seconds, seconds, bound)

    def left(self, now: float) -> float:
        """Seconds until then; 0 if it has passed."""
        return max(0.0, self.at - now)

    def __str__(self) -> str:
        return f"{self.seconds:g} s ({self.bound})"

    def missed(self, what: str, cause: KafkaError | None = None) -> KafkaError:
        """The error of a call that missed it; `cause` is the last failure, and gives the error its kind."""
        late = f"{what}: not done within {self}"
        if cause is None:
            return RequestTimeout(late)
        message = f"{cause.why}; {late}"
        if isinstance(cause, BrokerError):
            return BrokerError(cause.code, message)
        if not isinstance(cause, ConnectionFailed):
            return RequestTimeout(message)
        lost = type(cause)(message)
        lost.tried = cause.tried
        return lost
