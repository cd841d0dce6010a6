"""`python -m sim`: runs seeds, several at a time if asked, and tells those that fail."""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import click

from sim.runs.simulation import Outcome, Simulation

_CHUNK = 4


def run_seed(seed: int) -> Outcome:
    """One run."""
    return Simulation(seed).run()


@click.command()
@click.option("--seed", type=int, help="Run this one and print its whole trace.")
@click.option("--seeds", default="1-1000", show_default=True, help="Run these, both included.")
@click.option("--jobs", default=1, show_default=True, help="So many at a time.")
@click.option("--failures", default=10, show_default=True, help="Stop after so many.")
def main(seed: int | None, seeds: str, jobs: int, failures: int) -> None:
    """Simulate a broker and its clients in virtual time, with faults drawn from a seed."""
    if seed is not None:
        outcome = Simulation(seed, kept_lines=None).run()
        click.echo("\n".join(outcome.lines))
        click.echo(f"seed {seed}: {outcome.problem or 'all held'}; trace {outcome.digest}")
        sys.exit(1 if outcome.problem else 0)
    first, _, last = seeds.partition("-")
    chosen = range(int(first), int(last or first) + 1)
    sys.exit(1 if _run_all(chosen, jobs, failures) else 0)


def _run_all(seeds: range, jobs: int, most_failures: int) -> int:
    """Run them; returns how many failed."""
    failed: list[int] = []
    done = 0
    with click.progressbar(length=len(seeds), label="seeds", file=sys.stderr) as bar:
        for outcome in _outcomes(seeds, jobs):
            done += 1
            bar.update(1)
            if outcome.problem:
                failed.append(outcome.seed)
                click.echo(f"\n{report(outcome)}")
            if len(failed) >= most_failures:
                break
    click.echo(f"{done} seeds, {len(failed)} failed{''.join(f' {one}' for one in failed)}")
    return len(failed)


def _outcomes(seeds: range, jobs: int) -> Iterator[Outcome]:
    if jobs == 1:
        yield from map(run_seed, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(run_seed, seeds, chunksize=_CHUNK)
        finally:
            pool.shutdown(cancel_futures=True)


def report(outcome: Outcome) -> str:
    """What to print of a seed that failed."""
    return "\n".join(
        [
            *outcome.lines,
            f"seed {outcome.seed}: {outcome.problem}",
            f"again: python -m sim --seed {outcome.seed}",
        ]
    )
