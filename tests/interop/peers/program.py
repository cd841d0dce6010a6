"""A client in a process of its own, whatever its language: commands go in, lines come out.

Commands are lines of words; the answer to each ends with `done` or `failed` and why. A record is a
line KEY VALUE TIMESTAMP HEADERS: bytes are x and their hex digits, - is null, headers are NAME:VALUE
with commas between. The programs in the folders beside this file all speak so:

    write ADDRESS TOPIC CODEC IDEMPOTENT COUNT   and COUNT records: their offsets, where it tells them
    read ADDRESS TOPIC START COUNT               offset and record, COUNT times
    ends ADDRESS TOPIC                           the first offset, the next
    time ADDRESS TOPIC MS                        the offset of the first record that is not older
    topics ADDRESS TOPIC                         see Topics.java
    epoch ADDRESS TOPIC EPOCH                    the last epoch up to that one, and its end (franz)
    copy ADDRESS SOURCE TARGET COUNT             see CopyInTransactions.java and go/copying.go
    maystart NAME=VALUE ...                      see MayStart.java
    tool CLASS ARGUMENTS                         see RunTool.java
"""

import contextlib
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.samples import Headers, Sample

PATIENCE_SECONDS = 120.0


class ProgramFailed(Exception):
    """The client failed, or printed nothing in time; the text says what it printed."""


class Program:
    """`with Program(name, command) as client:` is a Client, and finds offsets too."""

    def __init__(
        self, name: str, command: Sequence[str], *, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self._command = list(command)
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._log = Path()

    def __enter__(self) -> Self:
        self._log = Path(tempfile.mkdtemp(prefix="client-")) / "errors"
        guard = shutil.which("setpriv")
        # Where the kernel can do it, the child also goes when this process is killed.
        before = [guard, "--pdeathsig", "KILL", "--"] if guard else []
        with self._log.open("wb") as errors:
            self._process = subprocess.Popen(
                [*before, *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._environment,
                text=True,
                encoding="ascii",
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()  # the end of the commands
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        shutil.rmtree(self._log.parent)

    def write(
        self,
        address: str,
        topic: str,
        samples: Sequence[Sample],
        *,
        codec: str = "none",
        idempotent: bool = False,
    ) -> list[int]:
        """See Client.write; nothing comes of a client that gets no offsets."""
        flag = str(idempotent).lower()
        rows = [row_of(each) for each in samples]
        return [int(line) for line in self._say("write", address, topic, codec, flag, rows=rows)]

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """See Client.read. The offsets must follow each other."""
        lines = [line.split(" ", 1) for line in self._say("read", address, topic, start, count)]
        if [int(offset) for offset, _ in lines] != list(range(start, start + count)):
            raise ProgramFailed(f"{self.name} read the offsets {[line[0] for line in lines]}")
        return [sample_of(row) for _, row in lines]

    def ends(self, address: str, topic: str) -> tuple[int, int]:
        """See Finder.ends."""
        first, following = self._say("ends", address, topic)
        return int(first), int(following)

    def at_time(self, address: str, topic: str, time_ms: int) -> int:
        """See Finder.at_time; -1 where there is none."""
        (found,) = self._say("time", address, topic, time_ms)
        return int(found)

    def topics(self, address: str, topic: str) -> list[str]:
        """Make a topic, look at it, remove it: what it says of each step."""
        return self._say("topics", address, topic)

    def epoch(self, address: str, topic: str, epoch: int) -> tuple[int, int]:
        """The last leader epoch up to that one, and the offset at which it ends."""
        found, end = self._say("epoch", address, topic, epoch)
        return int(found), int(end)

    def copy(self, address: str, source: str, target: str, count: int) -> list[str]:
        """Copy so many records in transactions: the values that can be read of them then."""
        return self._say("copy", address, source, target, count)

    def may_start(self, properties: Mapping[str, object]) -> str:
        """Whether a broker would start with these properties: yes, or why it would not."""
        words = (f"{name}={value}" for name, value in properties.items())
        (response,) = self._say("maystart", *words)
        return response

    def tool(self, name: str, *arguments: str) -> list[str]:
        """Run a program of Kafka's by its class: the lines it prints, and its code if not 0."""
        return [line.removeprefix("|") for line in self._say("tool", name, *arguments)]

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise ProgramFailed(f"{self.name} is not started")
        return self._process

    def _say(self, *words: object, rows: Sequence[str] | None = None) -> list[str]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        command = [*words] if rows is None else [*words, len(rows)]
        text = "".join(f"{line}\n" for line in (" ".join(map(str, command)), *(rows or ())))
        # One that hangs is ended; then its answer is cut short.
        patience = threading.Timer(PATIENCE_SECONDS, process.kill)
        patience.start()
        answer: list[str] = []
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(text)
                process.stdin.flush()
            for line in process.stdout:
                if line == "done\n":
                    return answer
                if line.startswith("failed"):
                    raise ProgramFailed(f"{self.name}: {line}{self._end_of_log()}")
                answer.append(line.rstrip("\n"))
        finally:
            patience.cancel()
        raise ProgramFailed(f"{self.name} ended in {words[0]}:\n{self._end_of_log()}")

    def _end_of_log(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])


def _word(content: bytes | None) -> str:
    return "-" if content is None else f"x{content.hex()}"


def _content(word: str) -> bytes | None:
    return None if word == "-" else bytes.fromhex(word[1:])


def row_of(sample: Sample) -> str:
    """A record as a line."""
    headers = ",".join(f"{_word(name.encode())}:{_word(value)}" for name, value in sample.headers)
    return f"{_word(sample.key)} {_word(sample.value)} {sample.timestamp} {headers or '-'}"


def sample_of(row: str) -> Sample:
    """A line as a record."""
    key, value, timestamp, words = row.split(" ")
    headers: list[tuple[str, bytes | None]] = []
    for each in words.split(",") if words != "-" else ():
        name, content = each.split(":")
        headers.append((bytes.fromhex(name[1:]).decode(), _content(content)))
    reported: Headers = tuple(headers)
    return Sample(_content(key), _content(value), int(timestamp), reported)
