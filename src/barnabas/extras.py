"""Extras: which of their packages are missing or too old, by the metadata of what is installed.

pip resolves an extra only when it installs it: another package may remove or replace one of its packages
later. Whoever needs an extra checks it here first, so that all commands give the same advice.
"""

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from typing import Final, NamedTuple

from barnabas.errors import ConfigError

_REQUIREMENT: Final = re.compile(r"([\w.-]+)\s*(?:\[([^]]*)\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?")
_OF_EXTRA: Final = re.compile(r"""\s*extra\s*==\s*['"]([\w.-]+)['"]\s*""")
_OWN: Final = "barnabas"


class Package(NamedTuple):
    """A package of an extra: its name, its version (None: it is missing), and what the extra asks for.

    Only lower bounds are checked: an upper one says what was tried, not what fails.
    """

    name: str
    installed: str | None
    wanted: str

    @property
    def usable(self) -> bool:
        """Whether it is installed, and not too old."""
        return self.installed is not None and all(
            _allows(bound.strip(), self.installed) for bound in self.wanted.split(",")
        )

    def __str__(self) -> str:
        """What is there, for a message: `jinja2 (missing)`, or `jinja2 3.0 (needs >=3.1)`."""
        if self.installed is None:
            return f"{self.name} (missing)"
        return f"{self.name} {self.installed}" + ("" if self.usable else f" (needs {self.wanted})")


def packages(extra: str) -> list[Package]:
    """The packages of an extra of barnabas, with those of the extras that it includes, each once.

    Empty if barnabas itself is not installed: its source tree says nothing of extras.
    """
    found: dict[str, Package] = {}
    for each in _packages(_OWN, extra):
        before = found.get(each.name, each)
        bounds = dict.fromkeys(filter(None, (before.wanted, each.wanted)))
        found[each.name] = each._replace(wanted=",".join(bounds))
    return [*found.values()]


def check_extra(extra: str, purpose: str, *modules: str) -> None:
    """Check that all packages of an extra can be used; `purpose` is who needs them, in the plural.

    `modules` are those that must be there also where barnabas runs from its source tree.

    Raises:
        ConfigError: some cannot; the message names them and says how to install them.
    """
    wrong = [str(each) for each in packages(extra) if not each.usable]
    wrong = wrong or [name for name in modules if find_spec(name) is None]
    if wrong:
        raise ConfigError(f"{purpose} need {', '.join(wrong)}: {install(extra)}")


def install(extra: str) -> str:
    """The command that installs what an extra lacks, in whatever way barnabas was installed."""
    return f"pip install '{_OWN}[{extra}]'"


def _packages(distribution: str, extra: str) -> Iterator[Package]:
    try:
        lines = requires(distribution) or ()
    except PackageNotFoundError:
        return
    for line in lines:
        requirement = _REQUIREMENT.fullmatch(line.strip())
        # What else a marker says, of platforms or of Python, pip has decided already.
        marker = _OF_EXTRA.fullmatch(requirement[4] or "") if requirement else None
        if requirement is None or marker is None or marker[1] != extra:
            continue
        name, more, wanted = requirement[1], requirement[2] or "", requirement[3].strip()
        if name != _OWN:
            yield Package(name, _installed(name), wanted)
        for included in filter(None, map(str.strip, more.split(","))):
            yield from _packages(name, included)


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _allows(bound: str, installed: str) -> bool:
    return not bound.startswith(">=") or _numbers(installed) >= _numbers(bound[2:])


def _numbers(text: str) -> tuple[int, ...]:
    """The release part of a version, without zeros at its end: 1.0 is 1."""
    found = re.match(r"\s*v?(\d+(?:\.\d+)*)", text)
    numbers = [int(each) for each in found[1].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
