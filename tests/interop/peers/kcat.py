"""kcat from Debian: librdkafka from the command line."""

import shutil
import subprocess

from tests.interop.peers.missing import PeerMissing


def run_kcat(*arguments: str, given: bytes = b"", seconds: float = 60.0) -> bytes:
    """What kcat printed on standard output.

    Raises:
        PeerMissing: it is not installed.
        subprocess.CalledProcessError: it ended with an error; `stderr` says which.
    """
    program = shutil.which("kcat")
    if program is None:
        raise PeerMissing("needs kcat: apt-get install kcat")
    done = subprocess.run(
        [program, *arguments], input=given, capture_output=True, timeout=seconds, check=True
    )
    return done.stdout
