"""Rows: what a reading of the metrics gives, and how much of it there is at most."""

from collections.abc import Generator

Labels = tuple[str, ...]
Rows = dict[str, list[tuple[Labels, float]]]
"""By the name of a metric: labels and value. A summary has rows of `_count`, `_sum` and quantiles."""
Reading = Generator[None, None, Rows]

AT_ONCE = 200
"""Partitions or offsets that are read in one step: a fraction of a millisecond."""
MOST_ROWS = 20_000
"""Partitions, and offsets of groups, that have rows of their own. More would take a scraper minutes."""
