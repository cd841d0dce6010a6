"""Records that a broker will not append, with the code and the words that its client gets."""

from barnabas.errors import ErrorCode, KafkaError


class RefusedRecords(KafkaError):
    """A record set that must not be appended.

    `code` goes into the partition's response; `index` is the record at fault within its batch, or -1
    where it is the batch as a whole.
    """

    def __init__(self, code: ErrorCode, detail: str, index: int = -1) -> None:
        self.code = code
        self.detail = detail
        self.index = index
        super().__init__(f"{code.name}: {detail}")
