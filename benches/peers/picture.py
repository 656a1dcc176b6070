"""Lines over logarithmic axes, as SVG without a background: it suits light and dark."""

import math
from xml.sax.saxutils import escape

from report import COLOURS, STYLE, number

WIDTH, HEIGHT, LEFT, TOP, GAP = 340, 280, 62, 64, 86


def ticks(low, high):
    """1, 2 and 5 times powers of ten; powers of ten alone where that would be many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    all_of_them = [m * 10.0**d for d in decades for m in ((1, 2, 5) if high < 300 * low else (1,))]
    return [x for x in all_of_them if low <= x <= high * 1.0001]


def svg(title, panels):
    """Panels side by side: (heading, label of x, {name: (colour's index, dashed, points)})."""
    width = LEFT + len(panels) * (WIDTH + GAP)
    names = {name: line[:2] for _, _, lines in panels for name, line in lines.items()}
    columns = 2
    top = TOP + 18 * math.ceil(len(names) / columns)
    bottom = top + HEIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 46}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE} polyline{{fill:none;stroke-width:1.8}}</style>",
        f'<text x="{LEFT}" y="16" font-weight="bold">{escape(title)}</text>',
    ]
    for i, (name, (colour, dashed)) in enumerate(names.items()):
        x, y = LEFT + (width - LEFT) / columns * (i % columns), 36 + 18 * (i // columns)
        dash = ' stroke-dasharray="5 4"' * dashed
        out.append(f'<polyline points="{x:.0f},{y - 4} {x + 26:.0f},{y - 4}" stroke="{COLOURS[colour]}"{dash}/>')
        out.append(f'<text x="{x + 32:.0f}" y="{y}">{escape(name)}</text>')
    for k, (heading, label, lines) in enumerate(panels):
        points = [p for _, _, line in lines.values() for p in line]
        (low_x, high_x), (low_y, high_y) = ((min(v), max(v)) for v in zip(*points, strict=True))
        start = LEFT + k * (WIDTH + GAP)

        def place(value, low, high, begin, length):
            return round(begin + length * math.log(value / low) / math.log(high / low), 1)

        low_y, high_y = low_y / 1.2, high_y * 1.2
        out.append(f'<text x="{start}" y="{top - 10}">{escape(heading)}</text>')
        for tick in ticks(low_y, high_y):
            y = place(tick, low_y, high_y, bottom, -HEIGHT)
            out.append(f'<line x1="{start}" x2="{start + WIDTH}" y1="{y}" y2="{y}"/>')
            out.append(f'<text x="{start - 6}" y="{y + 4}" text-anchor="end">{number(tick)}</text>')
        for tick in sorted({x for x, _ in points}):
            x = place(tick, low_x, high_x, start, WIDTH)
            out.append(f'<line x1="{x}" x2="{x}" y1="{bottom}" y2="{bottom + 4}"/>')
            out.append(f'<text x="{x}" y="{bottom + 17}" text-anchor="middle">{tick:g}</text>')
        out.append(f'<text x="{start + WIDTH / 2}" y="{bottom + 36}" text-anchor="middle">{escape(label)}</text>')
        for colour, dashed, line in lines.values():
            if not line:
                continue
            where = " ".join(
                f"{place(x, low_x, high_x, start, WIDTH)},{place(y, low_y, high_y, bottom, -HEIGHT)}" for x, y in line
            )
            dash = ' stroke-dasharray="5 4"' * dashed
            out.append(f'<polyline points="{where}" stroke="{COLOURS[colour]}"{dash}/>')
    return "\n".join([*out, "</svg>"]) + "\n"
