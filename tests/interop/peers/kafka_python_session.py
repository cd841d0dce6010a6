"""kafka-python, whichever release PYTHONPATH has, behind the commands of program.py."""

import sys
from collections.abc import Callable

from kafka import KafkaProducer

from tests.interop.clients.kafka_python import KafkaPython
from tests.interop.peers.program import row_of, sample_of

CLIENT = KafkaPython(has_idempotence="enable_idempotence" in KafkaProducer.DEFAULT_CONFIG)


def write(address: str, topic: str, codec: str, idempotent: str, count: str) -> list[object]:
    sent = [sample_of(sys.stdin.readline().rstrip("\n")) for _ in range(int(count))]
    return [*CLIENT.write(address, topic, sent, codec=codec, idempotent=idempotent == "true")]


def read(address: str, topic: str, start: str, count: str) -> list[object]:
    first = int(start)
    found = CLIENT.read(address, topic, int(count), start=first)
    return [f"{offset} {row_of(each)}" for offset, each in enumerate(found, first)]


def ends(address: str, topic: str) -> list[object]:
    return [*CLIENT.ends(address, topic)]


def time(address: str, topic: str, time_ms: str) -> list[object]:
    return [CLIENT.at_time(address, topic, int(time_ms))]


VERBS: dict[str, Callable[..., list[object]]] = {
    "write": write,
    "read": read,
    "ends": ends,
    "time": time,
}


def answered(command: list[str]) -> list[object]:
    try:
        return [*VERBS[command[0]](*command[1:]), "done"]
    except Exception as error:  # noqa: BLE001 - reported to the caller
        return [f"failed {error!r}".replace("\n", " ")]


def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        sys.stdout.writelines(f"{each}\n" for each in answered(line.split()))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
