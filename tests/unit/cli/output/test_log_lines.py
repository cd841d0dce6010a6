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
        "for name in ('pipelines.retention', 'config.files', 'client.aio.cluster.link'):\n"
        "    logging.getLogger(f'barnabas.{name}').warning('of %s', name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    warned = [line.rpartition(" ")[2] for line in done.stderr.splitlines()]
    assert warned == ["pipelines.retention", "config.files"]
