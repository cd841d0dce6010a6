"""A tail that did not reach the disk whole: it is cut at the last valid batch, and the broker continues."""

from pathlib import Path

import pytest

from tests.crash.test_kill_under_load import read_all
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.stored_log import stored_batches

BATCHES = 20
EACH = 50


def active_segment(data_dir: Path, topic: str) -> Path:
    return max((data_dir / f"{topic}-0").glob("*.log"))


def cut_inside_the_last_batch(log: Path, last_batch: int) -> None:
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - last_batch // 2)


def cut_inside_the_last_header(log: Path, last_batch: int) -> None:
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - last_batch + 30)


def flip_a_bit_in_the_last_batch(log: Path, last_batch: int) -> None:
    with log.open("r+b") as file:
        file.seek(-last_batch // 3, 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 0x10]))


def append_noise(log: Path, last_batch: int) -> None:
    with log.open("ab") as file:
        file.write(b"\x00\x01\x02noise" * (last_batch % 40 + 20))


def append_zeros(log: Path, last_batch: int) -> None:
    with log.open("ab") as file:
        file.write(bytes(4096 + last_batch % 7))


@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        (cut_inside_the_last_batch, 1),
        (cut_inside_the_last_header, 1),
        (flip_a_bit_in_the_last_batch, 1),
        (append_noise, 0),
        (append_zeros, 0),
    ],
)
def test_the_log_is_cut_at_the_last_valid_batch(damage, lost: int) -> None:  # type: ignore[no-untyped-def]
    with OurBroker() as broker:
        topic = InteropBroker(broker).new_topic(
            {"index.interval.bytes": "500", "segment.index.bytes": "40"}
        )
        sent = samples.many(BATCHES * EACH)
        for start in range(0, len(sent), EACH):
            Confluent().write(broker.bootstrap_servers, topic, sent[start : start + EACH])
        broker.child.kill()
        assert len(list((broker.data_dir / f"{topic}-0").glob("*.log"))) > 2
        batches = stored_batches(broker.data_dir, topic)
        damage(active_segment(broker.data_dir, topic), batches[-1].size)
        for index in (broker.data_dir / f"{topic}-0").glob("*.index"):
            index.unlink()  # indexes are rebuilt, whatever became of them

        broker.start()
        whole = batches[: len(batches) - lost]
        kept = whole[-1].base_offset + whole[-1].last_offset_delta + 1
        read = read_all(broker, topic, 0)
        assert [value for _, value in read] == [each.value for each in sent[:kept]]
        later = samples.many(10, seed=2)
        offsets = Confluent().write(broker.bootstrap_servers, topic, later)
        assert offsets == list(range(kept, kept + 10))
        assert Confluent().read(broker.bootstrap_servers, topic, 10, start=kept) == later
        # The files hold whole batches one behind the other again, and nothing else.
        folder = broker.data_dir / f"{topic}-0"
        on_disk = sum(log.stat().st_size for log in folder.glob("*.log"))
        assert sum(batch.size for batch in stored_batches(broker.data_dir, topic)) == on_disk
