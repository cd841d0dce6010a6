"""Shell completion in real shells: keys are typed on a terminal, and the line is what it becomes."""

import contextlib
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, NewTopic
from tests.commands.pages.pages import blocks
from tests.commands.served import SOURCE, Served, environment, run, serving

NOT_SERVED = "localhost:1"
PROMPT = b"ready> "


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


BASH = ("bash", "--noprofile", "--rcfile", ".bashrc", "-i")
SETTINGS = {
    "bash": f"bind 'set enable-bracketed-paste off'\nPS1='{PROMPT.decode()}'\n",
    "zsh": "unset zle_bracketed_paste\nunsetopt prompt_cr prompt_sp\n"
    f"setopt interactive_comments\nPS1='{PROMPT.decode()}'\n",
}


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        with Admin(bootstrap_servers=served.servers) as admin:
            admin.create_topics([NewTopic("dogs", 1), NewTopic("dragons", 1), NewTopic("cats", 1)])
        with Consumer(bootstrap_servers=served.servers, group_id="readers-1") as consumer:
            consumer.subscribe(["dogs"])
            consumer.poll(timeout_s=1)
        yield served


class Shell:
    """An interactive shell with the script installed as its last line says."""

    def __init__(self, home: Path, servers: str, command: Sequence[str]) -> None:
        self._terminal, theirs = pty.openpty()
        variables = environment_of(home, servers) | {"INPUTRC": "/dev/null"}
        self._process = subprocess.Popen(
            command,
            cwd=home,
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
        os.write(self._terminal, typed.encode() + b"\t~END")
        shown = self._until(b"~END").decode()
        os.write(self._terminal, b"\x01#\r")
        self._until(b"\n" + PROMPT)
        shown = shown.replace("\x07", "").replace("\r", "").removesuffix("~END")
        while "\b" in shown:  # zsh goes back over the space that it has added.
            shown = re.sub("[^\b]\b", "", shown, count=1)
        return shown

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


def environment_of(home: Path, servers: str) -> dict[str, str]:
    """With a program `barnabas` on the path, as an installation has it."""
    folder = home / "bin"
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return environment(servers) | {"HOME": str(home), "PATH": path, "TERM": "dumb"}


def install(shell: str, home: Path) -> None:
    """Run the command of the script's last line, in a home that has nothing."""
    program = home / "bin" / "barnabas"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -m barnabas "$@"\n')
    program.chmod(0o755)
    script = run("completion", shell)
    assert script.code == 0, script.err
    line = script.lines[-1].removeprefix("# To install it: ")
    subprocess.run([shell, "-c", line], check=True, env=environment_of(home, ""))


@contextlib.contextmanager
def installed(home: Path, servers: str, command: Sequence[str] = BASH) -> Iterator[Shell]:
    """As a user does it: run the command of the script's last line."""
    (home / f".{command[0]}rc").write_text(SETTINGS[command[0]])
    install(command[0], home)
    shell = Shell(home, servers, command)
    try:
        yield shell
    finally:
        shell.close()


@needs("bash")
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
            ("barnabas serve --set num.part", "barnabas serve --set num.partitions="),
            ("barnabas groups reset g --to ea", "barnabas groups reset g --to earliest "),
            ("barnabas serve --profile 0.7", "barnabas serve --profile 0.7 "),
            ("barnabas profiles 3.9", "barnabas profiles 3.9 "),
            (
                "barnabas pipeline init x --template med",
                "barnabas pipeline init x --template medallion ",
            ),
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


@needs("bash")
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
        for typed, completed in [
            ("configs topic ca", "configs topic cats "),
            ("configs group re", "configs group readers-1 "),
            ("transactions find-hanging --topic ca", "transactions find-hanging --topic cats "),
            ("transactions abort ca", "transactions abort cats "),
            # Of another cluster than that of -b, which nobody has named yet.
            ("mirror ca", "mirror ca"),
            (f"mirror --from {broker.servers} ca", f"mirror --from {broker.servers} cats "),
        ]:
            assert shell.line(f"barnabas {typed}") == f"barnabas {completed}"


@needs("bash")
def test_a_broker_that_does_not_answer_is_given_up_silently(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        typed = f"barnabas consume -b 127.0.0.1:{silent.getsockname()[1]} do"
        with installed(tmp_path, NOT_SERVED) as shell:
            assert shell.line(typed) == typed


@needs("zsh")
def test_zsh_completes_and_loads_what_it_needs_for_that(broker: Served, tmp_path: Path) -> None:
    with installed(tmp_path, broker.servers, ("zsh", "-i")) as shell:
        for typed, completed in [
            ("barnabas trans", "barnabas transactions "),
            (
                "barnabas topics create x -c retention.m",
                "barnabas topics create x -c retention.ms=",
            ),
            ("barnabas topics list --js", "barnabas topics list --json "),
            ("barnabas consume ca", "barnabas consume cats "),
        ]:
            assert shell.line(typed) == completed


@needs("fish")
def test_fish_completes_with_whole_descriptions(broker: Served, tmp_path: Path) -> None:
    install("fish", tmp_path)
    for typed, completed in [
        ("barnabas trans", "transactions\tInspect transactions, find and abort hanging ones."),
        ("barnabas topics create x -c retention.m", "retention.ms="),
        (f"barnabas topics describe -b {broker.servers} do", "dogs"),
        ("barnabas consume ca", "cats"),
    ]:
        asked = ["fish", "-c", f"complete -C '{typed}'"]
        variables = environment_of(tmp_path, broker.servers)
        done = subprocess.run(asked, capture_output=True, text=True, check=True, env=variables)
        assert done.stdout.splitlines() == [completed]


@pytest.mark.parametrize(
    ("shell", "check"), [("bash", ("bash", "-n")), ("zsh", ("zsh", "-n")), ("fish", ("fish", "-n"))]
)
def test_each_script_says_how_to_install_it(
    shell: str, check: tuple[str, ...], tmp_path: Path
) -> None:
    script = run("completion", shell)
    assert script.code == 0
    assert script.lines[-1].startswith("# To install it: ")
    assert f"barnabas completion {shell} > ~/" in script.lines[-1]
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
