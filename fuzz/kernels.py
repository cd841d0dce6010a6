"""`python -m fuzz.kernels`: mutated batches through the kernels under a sanitizer and uncompiled.

So are random columns through the kernels that write, half of them with offsets that make no sense;
what they write must decode to the same rows. Messages of every version are read and written by the
kernels for structs and by generated Python; so are whole frames of requests, by all kernels that read
them. All are built with AddressSanitizer and UndefinedBehaviorSanitizer, then a child process with the
sanitizer's library feeds both forms the same bytes and compares what comes out. A read of one byte too
many ends the child; a difference ends it too. Wrapping sums are meant (-fwrapv).
"""

import argparse
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
from array import array
from collections.abc import Iterable, Iterator
from itertools import count, takewhile
from pathlib import Path

from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from fuzz.compactions import compact, log
from fuzz.mutations import mutate
from fuzz.requests import read_request, valid_request
from fuzz.rows import write
from fuzz.structs import read_struct, valid_struct
from tests.kernel_forms import FAMILIES, HERE, Forms, extension, read, read_messages, source
from tests.message_sets import message

SOURCES = HERE.parents[1]
MUTATIONS_OF_ONE = 100
READS_OF_ONE_WRITE = 4
CHECK = "if length < 1 or length > end - position:"
"""The check of `producing` without which a record may run past its buffer."""
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize=alignment,shift,signed-integer-overflow",
    "-fno-sanitize-recover=undefined",
)


def build(folder: Path, source: Path = HERE, families: tuple[str, ...] = FAMILIES) -> None:
    """Compile families with sanitizers into a folder."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    include = sysconfig.get_paths()["include"]
    for name in families:
        made = folder.joinpath(*name.split(".")).with_suffix(".c")
        made.parent.mkdir(exist_ok=True)
        path = str(source / f"{name.replace('.', '/')}.py")
        cython = (sys.executable, "-m", "cython", "-3", path, "-I", str(SOURCES), "-o", str(made))
        subprocess.run(cython, check=True, stderr=subprocess.DEVNULL)
        headers = (f"-I{include}", *(f"-I{HERE / folder}" for folder in ("buffers", "wire")))
        flags = ("-O1", "-g", "-fwrapv", "-fPIC", "-shared", "-w", *headers, *SANITIZERS)
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, *flags, str(made), "-o", str(made.with_suffix(suffix))], check=True
        )


def library(name: str) -> str:
    """Where the compiler has a sanitizer's library."""
    compiler = os.environ.get("CC", "cc")
    command = (compiler, f"-print-file-name={name}")
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def valid(chance: random.Random) -> bytes:
    """One or two batches of a few records of every kind."""
    whole = b""
    for _ in range(chance.randrange(1, 3)):
        builder = BatchBuilder(Codec.NONE, 1 << 20)
        for _ in range(chance.randrange(1, 5)):
            key, value = (chance.choice((None, b"", chance.randbytes(9))) for _ in range(2))
            headers = [("name"[: chance.randrange(5)], chance.choice((None, b"", b"x" * 70)))]
            builder.append(chance.randrange(1 << 40), key, value, headers * chance.randrange(3))
        whole += builder.build()
    return whole


def valid_messages(chance: random.Random) -> bytes:
    """A few messages of magic 0 and 1, some of them with the attributes of compressed ones."""
    return b"".join(
        message(
            chance.randrange(1 << 40),
            chance.choice((None, b"", chance.randbytes(9))),
            chance.choice((None, b"", chance.randbytes(90))),
            timestamp=chance.choice((None, 0, chance.randrange(1 << 40))),
            attributes=chance.choice((0, 0, 0, 8, 1, 2, 3)),
        )
        for _ in range(chance.randrange(1, 5))
    )


READERS = (
    (valid, read),
    (valid_messages, read_messages),
    (log, compact),
    (valid_struct, read_struct),
    (valid_request, read_request),
)


def compare(made: Forms, plain: Forms, seed: int, numbers: Iterable[int]) -> tuple[int, int]:
    """Feed both forms an input for each number from 0; how many there were, and how many were refused.

    Raises:
        AssertionError: the forms differ; the message has the input.
    """
    chance = random.Random(seed)
    tried = refused = 0
    begun, take = b"", read
    for number in numbers:
        if number % MUTATIONS_OF_ONE == 0:
            start, take = READERS[number // MUTATIONS_OF_ONE % len(READERS)]
            begun = start(chance)
        data = mutate(begun, chance)
        one, other = take(made, data), take(plain, data)
        assert one == other, f"the forms differ, seed {seed}: {data.hex()}"
        tried += 1
        refused += any(isinstance(code, int) and code < 0 for code in one)
        if number % READS_OF_ONE_WRITE == 0:
            drawn = chance.getrandbits(64)
            one, other = write(made, drawn), write(plain, drawn)
            assert one == other, f"the forms write differently, rows {drawn}"
    return tried, refused


def until(seconds: float) -> Iterator[int]:
    """Numbers from 0 until the time is over."""
    deadline = time.monotonic() + seconds
    return takewhile(lambda _: time.monotonic() < deadline, count())


def overrun(folder: Path) -> None:
    """Show the broken kernel a record that states more bytes than there are."""
    producing = extension("batches.producing", folder)
    data = array("B", bytes.fromhex("fe01 00 00 00 04 6b6b"))
    producing.check(data, 0, len(data), 1, 0)


def control(folder: Path) -> None:
    """See the sanitizer stop a copy of a kernel that lacks one check: else silence means nothing.

    Raises:
        AssertionError: it reported nothing.
    """
    producing = Path("batches", "producing.py")
    text = (HERE / producing).read_text()
    assert text.count(CHECK) == 1, "the check to be left out is not there"
    (folder / producing.parent).mkdir(exist_ok=True)
    (folder / producing).write_text(text.replace(CHECK, "if length < 1:"))
    build(folder, folder, ("batches.producing",))
    done = in_child("--overrun", str(folder), capture=True)
    assert b"heap-buffer-overflow" in done.stderr, "the sanitizer is blind"
    print("kernels: the sanitizer stops a kernel that lacks a check")


def in_child(*arguments: str, capture: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run this module again, under the sanitizers."""
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
    }
    command = (sys.executable, "-m", "fuzz.kernels", *arguments)
    return subprocess.run(command, check=False, env=environment, capture_output=capture)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.kernels", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--mutations", type=int, help="so many, however long they take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--built", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--overrun", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.overrun is not None:
        overrun(arguments.overrun)
        return 0
    if arguments.built is not None:
        sanitized = Forms(lambda name: extension(name, arguments.built))
        given = arguments.mutations
        numbers = until(arguments.seconds) if given is None else range(given)
        tried, refused = compare(sanitized, Forms(source), arguments.seed, numbers)
        print(f"kernels: {tried} inputs, {refused} refused, sanitizers silent, forms equal")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        control(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        return in_child("--built", folder, *sys.argv[1:]).returncode


if __name__ == "__main__":
    sys.exit(main())
