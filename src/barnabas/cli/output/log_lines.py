"""Format log records as lines: the event first, then its fields as key=value."""

import logging

from barnabas.cli.output.log_limits import LogLimits
from barnabas.cli.output.printable import printable

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}

_WARNING = ("barnabas.config", "barnabas.pipelines")
"""Warnings about things that only the user can change."""

_LONGEST_WORD = 1_000
"""Characters of a field: a client chooses names and reasons of up to 32,767."""


class LineFormatter(logging.Formatter):
    """`12:30:01.250 warning isr shrunk topic=dogs partition=0`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s.%(msecs)03d %(levelname)s %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name of the base
        """Format one line without the traceback, which the base class appends."""
        record.levelname = record.levelname.lower()
        line = super().formatMessage(record)
        for key, value in vars(record).items():
            if key not in _STANDARD:
                line += f" {key}={_word(value)}"
        # Names and reasons that clients chose are among it: they must not control a terminal.
        return printable(line)


def log_to_stderr() -> None:
    """Send errors of this package to stderr, and warnings about properties and retention; see `log_from`.

    A user of a command does not need problems that the client solves; what it cannot solve ends the
    command.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter())
    handler.addFilter(LogLimits())
    logging.getLogger().addHandler(handler)
    log_from("error")
    for name in _WARNING:
        logging.getLogger(name).setLevel(logging.WARNING)


def log_from(level: str) -> None:
    """Log messages of this package from `level` up (debug, info, warning, error)."""
    logging.getLogger("barnabas").setLevel(level.upper())
    for name in _WARNING:
        logging.getLogger(name).setLevel(logging.NOTSET)


def _word(value: object) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return _shortened(",".join(str(one) for one in value))
    text = _shortened(str(value))
    return repr(text) if not text or any(letter.isspace() for letter in text) else text


def _shortened(text: str) -> str:
    left_out = len(text) - _LONGEST_WORD
    return text if left_out <= 0 else f"{text[:_LONGEST_WORD]}...and {left_out} more"
