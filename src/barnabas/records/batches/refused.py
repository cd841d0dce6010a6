"""Records that a broker will not append, with the code and the words that its client gets."""

from collections.abc import Sequence

from barnabas.errors import ErrorCode, KafkaError


class RefusedRecords(KafkaError):
    """A record set that must not be appended.

    `code` goes into the partition's response; `records` are those at fault, each by its place in
    the batch with what is wrong with it, and none where it is the batch as a whole.
    """

    def __init__(
        self, code: ErrorCode, detail: str, records: Sequence[tuple[int, str]] = ()
    ) -> None:
        self.code = code
        self.detail = detail
        self.records = records
        super().__init__(f"{code.name}: {detail}")
