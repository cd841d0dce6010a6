"""`python -m tests.chaos --minutes 10`: brokers as processes, faults, and the verdict."""

import argparse
import sys
import time

from tests.chaos.run import run

parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
parser.add_argument("--minutes", type=float, default=10.0)
parser.add_argument("--seed", type=int, default=int(time.time()))
parser.add_argument("--brokers", type=int, default=3)
parser.add_argument(
    "--kafka", type=int, action="append", default=[], help="this broker is one of Kafka 3.9"
)
parser.add_argument(
    "--unsafe",
    action="store_true",
    help="with acks=1, to show that losses are found",
)
given = parser.parse_args()
sys.stdout.write(f"seed {given.seed}: it decides which faults there are, not what happens then\n")
verdict = run(
    given.minutes * 60,
    given.seed,
    brokers=given.brokers,
    kafkas=given.kafka,
    unsafe=given.unsafe,
)
sys.stdout.write(f"{verdict}\n")
sys.exit(bool(verdict.complaints))
