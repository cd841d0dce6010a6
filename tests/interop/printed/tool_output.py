"""What Kafka's own tools print about a scene, without what only tells one run from another."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.interop.differential.talk import Talk
from tests.interop.peers.kafka_tools import Toolbox

Scene = Callable[["ToolOutput"], None]
Masks = tuple[tuple[str, str], ...]

_ALWAYS: Masks = (
    (r"(127\.0\.0\.1|localhost):\d{5}", "#" * 15),
    (r"-(first|seen)-\d+", r"-\1-#"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#" * 36),
    (r"(?<![\w.-])(?!\w+Exception)[\w-]{22}(?![\w-])", "#" * 22),
)
"""Addresses, how often it was waited, and ids that were made: as long as they were."""

_ERROR = re.compile("^Error|^ended with|Exception")

_BEGINNING = 1_700_000_000_000
"""2023-11-14T22:13:20."""


class ToolOutput:
    """The tools that look at one broker. `printed` has their lines, by the question."""

    def __init__(self, tools: Toolbox, talk: Talk, address: str) -> None:
        self.talk = talk
        self.printed: dict[str, list[str]] = {}
        self._tools, self._address = tools, address

    def ask(self, program: str, *arguments: str | Path, masks: Masks = (), label: str = "") -> None:
        """Keep the lines that it prints, but for traces; rows of tables come out of hash maps."""
        lines = self._lines(program, arguments, masks)
        self._keep((program, label, *arguments), _sorted_rows(lines))

    def mine(self, program: str, *arguments: str, masks: Masks = (), label: str = "") -> list[str]:
        """Of a table about all that there is: the head, and the rows about this scene; gives these.

        How wide its columns are is no part of it. What it says of errors is kept too.
        """
        lines = [" ".join(line.split()) for line in self._lines(program, arguments, masks)]
        head = [line for line in lines[:1] if not self._is_mine(line) and line.isupper()]
        rows = sorted(filter(self._is_mine, lines))
        errors = [line for line in lines if _ERROR.search(line) and line not in rows]
        self._keep((program, label, *arguments), head + rows + errors)
        return rows

    def _is_mine(self, line: str) -> bool:
        return self.talk.topic("") in line

    def _keep(self, question: Sequence[str | Path], lines: list[str]) -> None:
        """Of a file, the question has the name alone: folders are made anew."""
        program, label, *arguments = (
            each.name if isinstance(each, Path) else each for each in question
        )
        name = " ".join([*([f"{label}:"] if label else ()), program.rpartition(".")[2], *arguments])
        assert name not in self.printed, name
        self.printed[name] = lines

    def _lines(self, program: str, arguments: Sequence[str | Path], masks: Masks) -> list[str]:
        address = "--bootstrap-server", self._address
        response = self._tools.run(program, *address, *map(str, arguments))
        return [masked(line, masks) for line in response if not line.startswith("\tat ")]


def masked(text: str, masks: Masks) -> str:
    """A line without what tells one run from another."""
    for pattern, mask in (*_ALWAYS, *masks):
        text = re.sub(pattern, mask, text)
    return text


def _sorted_rows(lines: list[str]) -> list[str]:
    """The lines, with those between two empty ones, or under a head in capitals, in order."""
    done: list[str] = []
    rows: list[str] = []
    for line in lines:
        if line.strip() and not line.startswith("GROUP "):
            rows.append(line)
        else:
            done += [*sorted(rows), line]
            rows = []
    return done + sorted(rows)


def all_about(program: str, output: ToolOutput, label: str, group: str, masks: Masks = ()) -> None:
    """All that there is to ask about a group."""
    for what in ("--offsets", "--members", "--state"):
        for detail in ((), ("--verbose",)):
            question = "--describe", "--group", group, what, *detail
            output.ask(program, *question, masks=masks, label=label)


def all_refused(
    program: str, output: ToolOutput, label: str, group: str, topic: str, option: str = "--topic"
) -> None:
    """What nobody may while there are members; `option` says the topic."""
    place = "--group", group, option, topic
    output.ask(program, "--delete", "--group", group, label=label)
    output.ask(program, "--delete-offsets", *place, label=label)
    for how in ("--dry-run", "--execute"):
        output.ask(program, "--reset-offsets", *place, "--to-earliest", how, label=label)


def fill(talk: Talk, name: str, *counts: int) -> None:
    """So many records for the partitions of a topic, a second apart."""
    for index, count in enumerate(counts):
        builder = BatchBuilder(Codec.NONE, 100_000)
        for number in range(count):
            builder.append(_BEGINNING + 1000 * number, None, b"a record")
        part = PartitionProduceData(index=index, records=builder.build())
        topic = TopicProduceData(name=talk.topic(name), partition_data=[part])
        asked = ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[topic])
        talk.wait(
            asked, 9, lambda response: not response.responses[0].partition_responses[0].error_code
        )
