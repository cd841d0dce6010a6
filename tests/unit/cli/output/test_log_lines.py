import logging

from barnabas.cli.output.log_lines import LineFormatter


def test_event_first_then_fields() -> None:
    record = logging.makeLogRecord(
        {
            "levelname": "WARNING",
            "msg": "isr shrunk",
            "topic": "dogs",
            "from": [1, 2],
            "why": "too slow",
            "none": "",
        }
    )
    line = LineFormatter().format(record)
    assert line.endswith(" warning isr shrunk topic=dogs from=1,2 why='too slow' none=''")
