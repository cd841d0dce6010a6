import logging
import subprocess
import sys

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


def test_commands_warn_of_what_only_a_user_can_change() -> None:
    program = (
        "import logging\n"
        "from barnabas.cli.output.log_lines import log_to_stderr\n"
        "log_to_stderr()\n"
        "for name in ('pipelines.retention', 'config.property_files', 'client.aio.cluster.link'):\n"
        "    logging.getLogger(f'barnabas.{name}').warning('of %s', name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    warned = [line.rpartition(" ")[2] for line in done.stderr.splitlines()]
    assert warned == ["pipelines.retention", "config.property_files"]


def test_what_a_client_chose_neither_controls_a_terminal_nor_fills_the_log() -> None:
    record = logging.makeLogRecord(
        {
            "msg": "member joins: %s",
            "args": ("\x1b[2J\n",),
            "group": "\x9b31m",
            "reason": "x" * 32_767,
        }
    )
    line = LineFormatter().format(record)
    assert line.isprintable()
    assert "\\x1b[2J\\n" in line
    assert "group=\\x9b31m" in line
    assert len(line) < 1_200
    assert line.endswith("...and 31767 more'")
