"""A chart of bars as SVG, written by hand: readable on light and on dark pages, no library."""

from collections.abc import Sequence
from html import escape

WIDTH, LABELS, ROW, BAR, TOP, MARGIN = 760, 300, 30, 16, 74, 24
SPACE_FOR_FIGURES = 70
STYLE = """
  text { font: 14px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #6e7781; font-size: 12px }
  .figure { font-weight: 600 }
  .track { fill: #d0d7de; opacity: .45 }
  .bar { fill: #2f81f7 }
  .over { fill: #d29922 }
  .line { stroke: #6e7781; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #8d96a0 }
    .track { fill: #484f58 }
    .line { stroke: #8d96a0 }
  }
"""


def bars(title: str, explanation: str, peer: str, rows: Sequence[tuple[str, float]]) -> str:
    """Draw one bar for each row of a label and a ratio; 1 is what `peer` takes, at the dashed line.

    A ratio over 1 is drawn in another colour, and the scale fits the greatest.
    """
    unit = (WIDTH - LABELS - MARGIN - SPACE_FOR_FIGURES) / max(1.0, *(ratio for _, ratio in rows))
    height = TOP + ROW * len(rows) + MARGIN
    mark = LABELS + unit
    frame = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    name = f'role="img" aria-label="{escape(title)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame} {name}>',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{MARGIN}" y="28">{escape(title)}</text>',
        f'<text class="quiet" x="{MARGIN}" y="48">{escape(explanation)}</text>',
        f'<text class="quiet" x="{mark:.1f}" y="{TOP - 8}" text-anchor="middle">{escape(peer)}</text>',
    ]
    for number, (label, ratio) in enumerate(rows):
        parts.append(_bar(TOP + ROW * number, label, ratio, unit))
    parts += [
        f'<line class="line" x1="{mark:.1f}" x2="{mark:.1f}" y1="{TOP}" y2="{height - MARGIN}"/>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _bar(top: int, label: str, ratio: float, unit: float) -> str:
    kind = "bar" if ratio <= 1 else "over"
    place = f'x="{LABELS}" y="{top + (ROW - BAR) / 2:.0f}" height="{BAR}" rx="3"'
    base = f'y="{top + ROW / 2 + 5:.0f}"'
    behind = LABELS + ratio * unit + 8
    return "\n".join(
        (
            f'<text x="{LABELS - 12}" {base} text-anchor="end">{escape(label)}</text>',
            f'<rect class="track" {place} width="{unit:.1f}"/>',
            f'<rect class="{kind}" {place} width="{max(2.0, ratio * unit):.1f}"/>',
            f'<text class="figure" x="{behind:.1f}" {base}>{ratio:.2f}x</text>',
        )
    )
