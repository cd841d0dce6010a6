"""The picture of `barnabas stats --plot`: a topic over time, by partition, by key and by codec."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from barnabas.pipelines.record_statistics import TopicStatistics

_BLUE, _GREY = "#2e86ab", "#85857f"
_KEYS: Final = 12


def draw(found: "TopicStatistics", target: Path) -> None:
    """Write the picture; the kind of file is that of its name."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, ((time, partitions), (keys, codecs)) = plt.subplots(
        2, 2, figsize=(12, 7), layout="constrained"
    )
    figure.suptitle(
        f"{found.topic}: {found.records:,} records, {found.bytes / 1e6:,.1f} MB, "
        f"about {found.distinct_keys:,} keys",
        weight="bold",
    )
    _draw_rates(time, found)
    numbers = [one.partition for one in found.partitions]
    partitions.bar(numbers, [one.records for one in found.partitions], color=_BLUE)
    if found.partitions:
        mean = found.records / len(found.partitions)
        partitions.axhline(mean, color=_GREY, linewidth=1, label="mean")
        partitions.legend(frameon=False)
    partitions.set_title("records by partition", loc="left")
    shown = found.top_keys[:_KEYS][::-1]
    names = [one.key.decode(errors="backslashreplace")[:30] for one in shown]
    # By position: two keys may look the same when they are cut.
    keys.barh(range(len(shown)), [one.records for one in shown], color=_BLUE)
    keys.set_yticks(range(len(shown)), names)
    keys.set_title("records of the most frequent keys", loc="left")
    codecs.bar(
        [one.codec for one in found.codecs],
        [one.stored_bytes / 1e3 for one in found.codecs],
        color=_BLUE,
    )
    codecs.set_title("kB of sampled batches by codec", loc="left")
    for axes in (time, partitions, keys, codecs):
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(target, dpi=120)
    plt.close(figure)


def _draw_rates(axes: Any, found: "TopicStatistics") -> None:
    starts = [datetime.fromtimestamp(one.start_ms / 1000, UTC) for one in found.rates]
    rates = [one.records * 1000 / one.length_ms for one in found.rates]
    axes.step(starts, rates, where="post", color=_BLUE)
    axes.fill_between(starts, rates, step="post", color=_BLUE, alpha=0.25)
    axes.set_ylim(bottom=0)
    axes.tick_params(axis="x", rotation=25)
    axes.set_title("records a second, by their timestamps (UTC)", loc="left")
