"""The house rules that a test can hold. Each failure says which rule, which file and which line."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from barnabas.broker.dispatch import BETWEEN_BROKERS, ROUTES
from barnabas.protocol.api_keys import ApiKey

# The first of them reads the whole tree, which takes a busy machine a while.
pytestmark = pytest.mark.timeout(400)

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "barnabas"

LONGEST_FILE, LONGEST_TEST, WIDEST = 400, 600, 112
PRAGMA = re.compile(r"  # (noqa|type:|fmt:).*")
LONGEST_FUNCTION, LONGEST_KERNEL = 60, 120

TOO_LONG: dict[str, int] = {}
"""Files and functions over the limit with their present length: each may shrink, none may grow."""

BELOW_RUNTIME = {
    *(
        "error_codes.py",
        "errors.py",
        "types.py",
        "ports",
        "versions.py",
        "config",
        "kernels",
        "wire",
    ),
    *("protocol", "records", "dialects", "log", "replication", "cluster", "coordinators"),
}
"""Floors 0 to 3: what decides runs to completion."""

TOUCHES_FILES = {"runtime", "cli", "demo", "testing", "pipelines"}
"""Packages that may open files; everybody else takes a Disk."""

MAY_TOUCH_FILES = {
    "src/barnabas/spark/sessions/wrapper.py",  # writes the programs before Java and Python that Spark runs
}

TEMPLATES = "src/barnabas/pipelines/projects/templates/"
"""Files of a user's project, which no module imports."""

MAY_CATCH_EVERYTHING = {
    "src/barnabas/pipelines/projects/definitions.py",  # runs files of users: names the line that raised
    "src/barnabas/runtime/connections/connection.py",  # owns a connection of the broker
    "src/barnabas/client/aio/cluster/link.py",  # owns a connection of a client
    "src/barnabas/client/aio/producer/send_driver.py",  # owns what a producer has on its way: fails all of it
    "src/barnabas/client/driver07/outbox.py",  # owns the thread that sends: lets it live on
    "src/barnabas/broker/server/background.py",  # owns the jobs that come back
    "src/barnabas/broker/purgatory/pending.py",  # makes a reply that was waited for
    "src/barnabas/broker/purgatory/purgatory.py",  # owns the replies that wait
    "src/barnabas/runtime/registries/call_thread.py",  # hands it over to the loop
    "src/barnabas/runtime/loops/caller_loop.py",  # raises what a signal's handler raised
    "src/barnabas/runtime/loops/poll_loop.py",  # owns the callbacks of the loop, as that of asyncio does
    "sim/runs/simulation.py",  # owns a run: whatever ends it is what its seed has found
    "src/barnabas/broker/server/node_thread.py",  # hands it over to the thread that waits
}
"""Who ends one thing with a line in the log, so that the others live on."""

VAGUE = re.compile(
    r'(?<![A-Za-z])(?i:un)?(?i:told|said|heard)(?![A-Za-z])|(?:"""|# |[.!?] )Who [a-z]'
)
"""Words that stand for return, receive, report, request and response, and subjects without a name.

In prose and in names, whatever their case: `Told`, `_untold` and `was_said` count, too.
"""

VAGUE_LEFT: dict[str, int] = {}
"""How often they are left in each top folder: each number may only fall."""

DEFINED_TWICE = re.findall(
    r"\w+",
    """
    Admin Broker BrokersChanged Chunk Cluster Codec Connection Consumer Delivery FetchRequest
    Fetched Field GroupAdmin LogDirectory OffsetsRequest OpenBatches Pending ProduceRequest
    Producer Reader Record RecordAppender RequestType Requests Sender Shape StoredLog Sync
    Topic Topics TransactionAdmin Transactional Worker Writer
""",
)
"""Class names that mean several things: the list may only become shorter."""

MOST_FILES = 25

LISTS = {
    "src/barnabas/protocol",
    "src/barnabas/broker/apis",
    "src/barnabas/config",
    "tests/unit/broker/apis",
}
"""Folders that are lists of one kind of thing, as long as Kafka has many."""

MOST_FLOORS, MOST_ARROWS = 13, 100
"""Of the rooms in `broker`: how high they stand upon each other, and how many pairs import each other."""

WITHOUT_SOURCE = {
    "tests/unit/test_tidy.py",
    "tests/unit/test_documentation.py",
    "tests/unit/test_public_names.py",
}
"""Unit tests that are about the whole tree and not about one file."""

TEXTS = {".py", ".md", ".toml", ".cfg", ".txt", ".yml", ".yaml", ".properties", ".sh", ""}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def texts() -> list[tuple[str, str]]:
    """All files that we wrote, with their text."""
    folders = ("src", "sim", "tests", "docs", "benchmarks", "fuzz", ".ci")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    paths += [path for path in ROOT.iterdir() if path.suffix in {".md", ".toml", ".py"}]
    paths.append(ROOT / "Makefile")
    return [
        (relative(path), path.read_text(encoding="utf-8"))
        for path in sorted(paths)
        if path.is_file()
        and path.suffix in TEXTS
        and not {"__pycache__", "node_modules", "target"} & set(path.parts)
        and ".egg-info" not in str(path)
    ]


@cache
def trees() -> list[tuple[str, ast.Module]]:
    """All Python files of ours, parsed."""
    return [(name, ast.parse(text)) for name, text in texts() if name.endswith(".py")]


def sources() -> Iterator[tuple[str, str, ast.Module]]:
    """Our own modules: path, package (or file) below `barnabas`, tree."""
    for name, tree in trees():
        if name.startswith("src/barnabas/") and not name.startswith(TEMPLATES):
            yield name, name.split("/")[2], tree


def complain(rule: str, found: list[str]) -> None:
    assert not found, f"{rule}:\n  " + "\n  ".join(found)


def weight(tree: ast.Module, text: str) -> int:
    """The lines of a file; tables and declarations count half."""
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    declared = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for body in bodies
        for node in body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    )
    return len(text.splitlines()) - declared // 2


def too_long(name: str, size: int, limit: int) -> list[str]:
    allowed = TOO_LONG.get(name, 0)
    if allowed and size <= limit:
        return [f"{name} is short enough now: take it off the list"]
    if size > max(allowed, limit):
        return [f"{name} has {size} lines"]
    return []


def test_files_are_short() -> None:
    lines = dict(texts())
    found = []
    for name, tree in trees():
        limit = LONGEST_TEST if name.startswith("tests/") else LONGEST_FILE
        found += too_long(name, weight(tree, lines[name]), limit)
    complain(f"at most {LONGEST_FILE} lines a file, {LONGEST_TEST} a test", found)


def test_functions_are_short() -> None:
    found = []
    for name, tree in trees():
        limit = LONGEST_KERNEL if "/kernels/" in name else LONGEST_FUNCTION
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[1] if ast.get_docstring(node) and node.body[1:] else node.body[0]
                size = (node.end_lineno or 0) - first.lineno + 1
                found += too_long(f"{name}:{node.name}", size, limit)
    complain(f"at most {LONGEST_FUNCTION} lines a function, {LONGEST_KERNEL} a kernel", found)


def test_lines_are_narrow() -> None:
    found = [
        f"{name}:{number} has {len(line)} columns"
        for name, text in texts()
        if name.endswith(".py")
        for number, line in enumerate(text.splitlines(), start=1)
        if len(PRAGMA.sub("", line)) > WIDEST and "http" not in line
    ]
    complain(f"at most {WIDEST} columns", found)


def test_nothing_is_left_to_do() -> None:
    mark = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    found = [
        f"{name}:{number}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if mark.search(line) and not name.endswith("pyproject.toml")
    ]
    complain("do it now, or write an issue", found)


def test_only_the_outer_floors_open_files() -> None:
    methods = {"read_text", "write_text", "read_bytes", "write_bytes"}
    found = []
    for name, package, tree in sources():
        if package in TOUCHES_FILES or name in MAY_TOUCH_FILES:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if (isinstance(called, ast.Name) and called.id == "open") or (
                isinstance(called, ast.Attribute)
                and (called.attr in methods or ast.unparse(called) == "os.open")
            ):
                found.append(f"{name}:{node.lineno}")
    complain("take a Disk from barnabas.ports", found)


def test_what_decides_runs_to_completion() -> None:
    kinds = ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith
    found = [
        f"{name}:{node.lineno}"
        for name, package, tree in sources()
        if package in BELOW_RUNTIME and not name.endswith("/driver.py")
        for node in ast.walk(tree)
        if isinstance(node, kinds)
    ]
    complain("no async below floor 4", found)


def test_behaviour_by_version_is_data() -> None:
    word = re.compile(r"\b(api_)?version\b")
    found = [
        f"{name}:{node.lineno}"
        for name, package, tree in sources()
        if package in {"broker", "coordinators"}
        for node in ast.walk(tree)
        if isinstance(node, ast.If | ast.IfExp) and word.search(ast.unparse(node.test))
    ]
    complain("no `if version`: make it a row of a VersionTable", found)


def test_unit_tests_mirror_the_sources() -> None:
    found = []
    for path in (ROOT / "tests/unit").rglob("test_*.py"):
        inside = path.relative_to(ROOT / "tests/unit")
        subject = inside.with_name(inside.stem.removeprefix("test_"))
        places = [base / subject for base in (PACKAGE, SOURCE)]
        if relative(path) in WITHOUT_SOURCE:
            continue
        if not any(place.with_suffix(".py").exists() or place.is_dir() for place in places):
            found.append(f"{relative(path)} tests no file of its name")
    complain("a unit test is named after what it tests", found)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![\w.])/(work|root)/\w",
        r"(?<![\w.])/home/\w+/",
        r"/tmp/(trial|bash|[a-z]+\.lock)",
        r"(index-url|trusted-host|extra-index)",
    ],
)
def test_no_trace_of_a_machine(pattern: str) -> None:
    found = [
        f"{name}:{number}"
        for name, text in texts()
        if name != "tests/unit/test_tidy.py"
        for number, line in enumerate(text.splitlines(), start=1)
        if re.search(pattern, line)
    ]
    complain("paths and hosts of one machine do not belong here", found)


def is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    named = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(named & {"Exception", "BaseException"})


def is_passed_on(handler: ast.ExceptHandler) -> bool:
    """Whether what was caught goes on as it is: such a handler only tidies up."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_only_owners_catch_everything() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, _, tree in sources()
        if name not in MAY_CATCH_EVERYTHING
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not is_passed_on(node)
    ]
    complain("catch what you expect; only who owns a connection or a task catches the rest", found)


def test_apis_say_what_they_do() -> None:
    found = []
    for name, _, tree in sources():
        file = Path(name)
        if "/broker/apis/" not in name or file.stem == "__init__":
            continue
        head = ast.get_docstring(tree) or ""
        api = "".join(word.capitalize() for word in file.stem.split("_"))
        key = ApiKey[file.stem.upper()].value
        if not head.startswith(f"{api} (key {key}): "):
            found.append(f"{name} should begin with '{api} (key {key}): '")
        if not re.search(r"^Does: ", head, re.MULTILINE):
            found.append(f"{name} has no 'Does:'")
        if not re.search(r"^(Ignores|Refuses): ", head, re.MULTILINE):
            found.append(f"{name} has neither 'Ignores:' nor 'Refuses:'")
    complain("the head of an API's file says what is done and what is not", found)


def test_nobody_is_left_over() -> None:
    """Every module is imported by another one, or is where Python or a user comes in."""
    imported = {f"barnabas.protocol.{key.name.lower()}" for key in ApiKey}  # by `declared`
    imported |= {
        f"barnabas.broker.apis.{key.name.lower()}" for key in {**ROUTES, **BETWEEN_BROKERS}
    }  # by its row
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
    named = "\n".join(text for name, text in texts() if not name.startswith("tests/"))
    found = []
    for name, package, _ in sources():
        module = name.removeprefix("src/").removesuffix(".py").replace("/", ".")
        short = module.removeprefix("barnabas.")
        if module.endswith(("__init__", "__main__")) or package == "kernels":
            continue
        if module not in imported and f'"{short}"' not in named and module not in named:
            found.append(name)
    complain("nobody imports these", found)


def top_folder(name: str) -> str:
    """`src/barnabas/client`, or the first folder of anything else."""
    parts = name.split("/")
    return "/".join(parts[:3]) if parts[0] == "src" and len(parts) > 3 else parts[0]


def test_vague_words_become_fewer() -> None:
    counts: Counter[str] = Counter()
    for name, text in texts():
        if name != "tests/unit/test_tidy.py" and "/" in name:
            counts[top_folder(name)] += len(VAGUE.findall(text))
    found = [
        f"{folder} has {count}, at most {VAGUE_LEFT.get(folder, 0)} are left"
        for folder, count in counts.items()
        if count > VAGUE_LEFT.get(folder, 0)
    ]
    complain("say return, receive, report, request or response; name the subject", found)


def test_a_class_name_means_one_thing() -> None:
    places: dict[str, set[str]] = {}
    for name, package, tree in sources():
        if package != "protocol":  # a file for each message, whose structs have Kafka's names
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, set()).add(name)
    found = [
        f"{name}: {', '.join(sorted(files))}"
        for name, files in places.items()
        if len(files) > 1 and name not in DEFINED_TWICE
    ]
    complain("two classes of one name: name what differs", found)


def test_folders_show_their_nouns() -> None:
    files = Counter(
        name.rpartition("/")[0]
        for name, _ in trees()
        if name.startswith(("src/", "tests/"))
        and not name.endswith(("/__init__.py", "/__main__.py"))
    )
    found = [
        f"{folder} has {count} files"
        for folder, count in files.items()
        if folder not in LISTS and count > MOST_FILES
    ]
    complain(f"at most {MOST_FILES} files a folder, lists aside: find the nouns in it", found)


def test_rooms_of_the_broker_know_few_others() -> None:
    below: dict[str, set[str]] = {}
    for name, _, tree in sources():
        if not name.startswith("src/barnabas/broker/") or name.endswith("/broker/__init__.py"):
            continue
        room = name.split("/")[3].removesuffix(".py")
        known = below.setdefault(room, set())
        for node in ast.walk(tree):
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            if module.startswith("barnabas.broker."):
                known.add(module.split(".")[2])
        known.discard(room)

    @cache
    def floor(room: str) -> int:
        return 1 + max(map(floor, below[room]), default=0)

    floors, arrows = max(map(floor, below)), sum(map(len, below.values()))
    assert floors <= MOST_FLOORS, "a room knows another one that it can do without"
    assert arrows <= MOST_ARROWS, "merge what is one thought, move what lives in the wrong room"
