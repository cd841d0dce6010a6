"""Shell completion in a real bash: keys are typed on a terminal, and the line is what it becomes."""

import contextlib
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, NewTopic
from tests.commands.pages import blocks
from tests.commands.served import SOURCE, Served, environment, run, serving

NOT_SERVED = "localhost:1"
PROMPT = b"ready> "

bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        with Admin(bootstrap_servers=served.servers) as admin:
            admin.create_topics([NewTopic("dogs", 1), NewTopic("dragons", 1), NewTopic("cats", 1)])
        with Consumer(bootstrap_servers=served.servers, group_id="readers-1") as consumer:
            consumer.subscribe(["dogs"])
            consumer.poll(timeout_s=1)
        yield served


class Bash:
    """An interactive bash with the script installed as its last line says."""

    def __init__(self, home: Path, servers: str) -> None:
        self._terminal, theirs = pty.openpty()
        self.home = home
        variables = environment(servers) | {
            "HOME": str(home),
            "INPUTRC": "/dev/null",
            "TERM": "dumb",
        }
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--rcfile", str(home / ".bashrc"), "-i"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=variables,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            self._until(PROMPT)
        except BaseException:
            self.close()
            raise

    def line(self, typed: str) -> str:
        """What stands on the line after `typed` and Tab; the line is then dropped.

        Ctrl-A and a # make it a comment, which Enter runs.
        """
        os.write(self._terminal, typed.encode() + b"\t\x05~END")
        shown = self._until(b"~END").decode()
        os.write(self._terminal, b"\x01#\r")
        self._until(b"\n" + PROMPT)
        return shown.replace("\x07", "").replace("\r", "").removesuffix("~END")

    def _until(self, text: bytes) -> bytes:
        seen = b""
        while text not in seen:
            seen += os.read(self._terminal, 4096)
        return seen

    def close(self) -> None:
        """End it with all that it runs."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._terminal)


@contextlib.contextmanager
def installed(home: Path, servers: str) -> Iterator[Bash]:
    """As a user does it: run the command of the script's last line."""
    program = f'barnabas() {{ PYTHONPATH={SOURCE} {sys.executable} -m barnabas "$@"; }}\n'
    (home / ".bashrc").write_text(
        f"bind 'set enable-bracketed-paste off'\nPS1='{PROMPT.decode()}'\n{program}"
    )
    script = run("completion", "bash")
    assert script.code == 0, script.err
    install = script.lines[-1].removeprefix("# To install it: ")
    subprocess.run(
        ["bash", "-c", f". ~/.bashrc; {install}"],
        check=True,
        env=environment("") | {"HOME": str(home)},
        stderr=subprocess.DEVNULL,  # `bind` has no line to edit here.
    )
    shell = Bash(home, servers)
    try:
        yield shell
    finally:
        shell.close()


@bash
def test_tab_completes_what_is_typed(broker: Served, tmp_path: Path) -> None:
    with installed(tmp_path, NOT_SERVED) as shell:
        for typed, completed in [
            ("barnabas trans", "barnabas transactions "),
            ("barnabas topics desc", "barnabas topics describe "),
            ("barnabas topics list --js", "barnabas topics list --json "),
            (
                "barnabas topics create x -c retention.m",
                "barnabas topics create x -c retention.ms=",
            ),
            (
                "barnabas topics config x --unset min.i",
                "barnabas topics config x --unset min.insync.replicas ",
            ),
            (
                "barnabas configs broker --set log.segment.b",
                "barnabas configs broker --set log.segment.bytes=",
            ),
            ("barnabas quotas --set prod", "barnabas quotas --set producer_byte_rate="),
            ("barnabas consume x -X fetch.min", "barnabas consume x -X fetch.min.bytes="),
            ("barnabas completion fi", "barnabas completion fish "),
            # Names are asked for at the broker of -b, although bash splits its address at the colon.
            (
                f"barnabas topics describe -b {broker.servers} do",
                f"barnabas topics describe -b {broker.servers} dogs ",
            ),
            (
                f"barnabas groups describe -b {broker.servers} re",
                f"barnabas groups describe -b {broker.servers} readers-1 ",
            ),
            # Nobody listens: the line stays as it is, and nothing is printed.
            ("barnabas topics describe do", "barnabas topics describe do"),
        ]:
            assert shell.line(typed) == completed


@bash
def test_names_come_from_the_broker_of_the_environment(broker: Served, tmp_path: Path) -> None:
    with installed(tmp_path, broker.servers) as shell:
        assert shell.line("barnabas consume ca") == "barnabas consume cats "
        assert (
            shell.line("barnabas topics delete cats dr") == "barnabas topics delete cats dragons "
        )
        assert (
            shell.line("barnabas consume cats --group r")
            == "barnabas consume cats --group readers-1 "
        )


@bash
def test_a_broker_that_does_not_answer_is_given_up_silently(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        typed = f"barnabas consume -b 127.0.0.1:{silent.getsockname()[1]} do"
        with installed(tmp_path, NOT_SERVED) as shell:
            assert shell.line(typed) == typed


@pytest.mark.parametrize(
    ("shell", "check"), [("bash", ("bash", "-n")), ("zsh", ("zsh", "-n")), ("fish", ("fish", "-n"))]
)
def test_each_script_says_how_to_install_it(
    shell: str, check: tuple[str, ...], tmp_path: Path
) -> None:
    script = run("completion", shell)
    assert script.code == 0
    assert script.lines[-1].startswith(f"# To install it: barnabas completion {shell} > ~/")
    if shutil.which(shell):
        (tmp_path / "script").write_text(script.out)
        subprocess.run([*check, str(tmp_path / "script")], check=True)


def test_the_page_says_how_to_install_it() -> None:
    (line,) = blocks("docs/commands.md", "sh")
    assert f"# To install it: {line.rstrip()}" == run("completion", "bash").lines[-1]


def test_another_shell_is_refused() -> None:
    refused = run("completion", "tcsh")
    assert refused.code == 2
    assert "'bash', 'zsh', 'fish'" in refused.err
