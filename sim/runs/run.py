"""`python -m sim`: runs seeds, several at a time if asked, and tells those that fail."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor

import click

from sim.cluster.simulation import ClusterSimulation
from sim.runs.outcome import Outcome
from sim.runs.simulation import Simulation

_CHUNK = 4


def run_seed(seed: int) -> Outcome:
    """One run of one broker."""
    return Simulation(seed).run()


def run_cluster_seed(seed: int) -> Outcome:
    """One run of several brokers."""
    return ClusterSimulation(seed).run()


@click.command()
@click.option("--seed", type=int, help="Run this one and print its whole trace.")
@click.option("--seeds", default="1-1000", show_default=True, help="Run these, both included.")
@click.option("--jobs", default=1, show_default=True, help="So many at a time.")
@click.option("--failures", default=10, show_default=True, help="Stop after so many.")
@click.option("--cluster", is_flag=True, help="Several brokers, instead of one.")
def main(seed: int | None, seeds: str, jobs: int, failures: int, *, cluster: bool) -> None:
    """Simulate brokers and their clients in virtual time, with faults drawn from a seed."""
    if seed is not None:
        simulation = ClusterSimulation if cluster else Simulation
        outcome = simulation(seed, kept_lines=None).run()
        click.echo("\n".join(outcome.lines))
        click.echo(f"seed {seed}: {outcome.problem or 'all held'}; trace {outcome.digest}")
        sys.exit(1 if outcome.problem else 0)
    first, _, last = seeds.partition("-")
    chosen = range(int(first), int(last or first) + 1)
    sys.exit(1 if _run_all(chosen, jobs, failures, cluster=cluster) else 0)


def _run_all(seeds: range, jobs: int, most_failures: int, *, cluster: bool) -> int:
    """Run them; returns how many failed."""
    failed: list[int] = []
    done = 0
    with click.progressbar(length=len(seeds), label="seeds", file=sys.stderr) as bar:
        for outcome in _outcomes(run_cluster_seed if cluster else run_seed, seeds, jobs):
            done += 1
            bar.update(1)
            if outcome.problem:
                failed.append(outcome.seed)
                click.echo(f"\n{report(outcome, '--cluster ' if cluster else '')}")
            if len(failed) >= most_failures:
                break
    click.echo(f"{done} seeds, {len(failed)} failed{''.join(f' {one}' for one in failed)}")
    return len(failed)


def _outcomes(run: Callable[[int], Outcome], seeds: range, jobs: int) -> Iterator[Outcome]:
    if jobs == 1:
        yield from map(run, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(run, seeds, chunksize=_CHUNK)
        finally:
            pool.shutdown(cancel_futures=True)


def report(outcome: Outcome, option: str = "") -> str:
    """What to print of a seed that failed; `option`: of the command that runs it again."""
    return "\n".join(
        [
            *outcome.lines,
            f"seed {outcome.seed}: {outcome.problem}",
            f"again: python -m sim {option}--seed {outcome.seed}",
        ]
    )
