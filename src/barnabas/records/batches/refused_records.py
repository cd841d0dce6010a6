"""RefusedRecords: records that a broker refuses, with the error code and text for its client."""

from collections.abc import Sequence

from barnabas.errors import ErrorCode, KafkaError


class RefusedRecords(KafkaError):
    """A record set that must not be appended.

    `code` is for the partition's response; `records` are the invalid ones, each with its index in
    the batch and its error, empty if the whole batch is invalid.
    """

    def __init__(
        self, code: ErrorCode, detail: str, records: Sequence[tuple[int, str]] = ()
    ) -> None:
        self.code = code
        self.detail = detail
        self.records = records
        super().__init__(f"{code.name}: {detail}")
