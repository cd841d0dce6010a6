"""`python -m tests.hostile.attacks.table`: attack our broker and Apache Kafka, and write docs/security.md.

Each attack has brokers of its own, one after the other. NAMES after the command are attacks; then the
table is only printed.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import KafkaException

from tests.hostile.attacks.attack import Attack, Damage, damage_of
from tests.hostile.attacks.every_attack import ATTACKS
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka

PAGE = Path(__file__).resolve().parents[3] / "docs" / "security.md"
BEGIN, END = "<!-- attacks: begin -->\n", "<!-- attacks: end -->\n"
_HEAD = """\
| what is sent | barnabas: memory, MB | wait of another client, s | Kafka 4.3: memory, MB | wait, s |
|---|---|---:|---|---:|
"""


def _cells(damage: Damage | None) -> str:
    if damage is None:
        return "not measured | "
    memory = f"{damage.before_mb:.0f} → {damage.peak_mb:.0f}, then {damage.kept_mb:.0f}"
    return f"{memory} | {damage.worst_wait:.2f}"


def _say(line: str) -> None:
    sys.stderr.write(line)
    sys.stderr.flush()


def _of_ours(attack: Attack) -> Damage:
    with OurBroker() as broker:
        return damage_of(attack, broker)


def _of_kafka(attack: Attack) -> Damage | None:
    try:
        with RealKafka(heap="512m") as kafka:
            return damage_of(attack, kafka)
    except (AssertionError, KafkaException, OSError, ValueError) as error:
        _say(f"{attack.name}: Kafka: {error!r}\n")
        return None


def table(attacks: Sequence[Attack]) -> str:
    """The table, each row measured now."""
    rows = []
    for attack in attacks:
        rows.append(
            f"| {attack.sent} | {_cells(_of_ours(attack))} | {_cells(_of_kafka(attack))} |\n"
        )
        _say(rows[-1])
    return _HEAD + "".join(rows)


def main(names: Sequence[str]) -> None:
    """Measure, and write or print."""
    made = table([attack for attack in ATTACKS if not names or attack.name in names])
    if names:
        return
    text = PAGE.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(before + BEGIN + made + END + after)


if __name__ == "__main__":
    main(sys.argv[1:])
