"""Names in records of internal topics: their length has 16 bits there."""

from typing import Final

from barnabas.errors import BrokerError, ErrorCode

_MOST_BYTES: Final = 32_767
_SURE: Final = _MOST_BYTES // 4
"""So many characters always have a place; longer ones are counted as UTF-8."""


def check_kept(*names: str | None) -> None:
    """Whether names can be kept. Requests of flexible versions may have longer ones.

    Kafka 4.3 does not read those and closes the connection; clients then try again for ever.

    Raises:
        BrokerError: UNKNOWN_SERVER_ERROR, as where Kafka cannot write a record.
    """
    for name in names:
        if name is not None and len(name) > _SURE and len(name.encode()) > _MOST_BYTES:
            why = f"a name of more than {_MOST_BYTES} bytes cannot be kept"
            raise BrokerError(ErrorCode.UNKNOWN_SERVER_ERROR, why)
