"""Deadline: when a call must have ended, and which argument or property says so. Waits for nothing.

One is made where a call of the user begins and is passed down to all that the call waits for, so
that steps that follow each other share the time.
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
    """`at` is in monotonic seconds; `seconds` is the whole time, of which `bound` is the name."""

    at: float
    seconds: float
    bound: str

    @classmethod
    def after(cls, now: float, seconds: float, bound: str) -> Self:
        """So many seconds from now."""
        return cls(now + seconds, seconds, bound)

    def left(self, now: float) -> float:
        """Seconds until then; 0 where it is over."""
        return max(0.0, self.at - now)

    def __str__(self) -> str:
        return f"{self.seconds:g} s ({self.bound})"

    def missed(self, what: str, cause: KafkaError | None = None) -> KafkaError:
        """The error of a call that was not done by then; `cause`: what went wrong last, of its kind."""
        late = f"{what}: not done within {self}"
        if cause is None:
            return RequestTimeout(late)
        told = f"{cause.why}; {late}"
        if isinstance(cause, BrokerError):
            return BrokerError(cause.code, told)
        return type(cause)(told) if isinstance(cause, ConnectionFailed) else RequestTimeout(told)
