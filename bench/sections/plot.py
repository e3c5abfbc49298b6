"""A small plot as SVG: points, lines and a legend over two linear axes."""

from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 20, 48


class Plot:
    def __init__(self, x_label, y_label, x_max, y_max):
        self.x_max, self.y_max = x_max, y_max
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
            'font-size="12">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        ]
        self.legend_entries = 0
        self.axes(x_label, y_label)

    def x(self, value):
        return round(LEFT + value / self.x_max * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value):
        return round(HEIGHT - BOTTOM - min(value, self.y_max) / self.y_max * (HEIGHT - TOP - BOTTOM), 1)

    def text(self, x, y, words, anchor="middle", more=""):
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}"{more}>{escape(words)}</text>')

    def axes(self, x_label, y_label):
        for mark in ticks(self.x_max):
            self.segment((mark, 0), (mark, self.y_max), "#e4e4e4", 1)
            self.text(self.x(mark), HEIGHT - BOTTOM + 18, f"{mark:g}")
        for mark in ticks(self.y_max):
            self.segment((0, mark), (self.x_max, mark), "#e4e4e4", 1)
            self.text(LEFT - 8, self.y(mark) + 4, f"{mark:g}", "end")
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label)
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.text(16, middle, y_label, more=f' transform="rotate(-90 16 {middle})"')

    def segment(self, start, end, colour, width):
        (x1, y1), (x2, y2) = start, end
        self.parts.append(
            f'<line x1="{self.x(x1)}" y1="{self.y(y1)}" x2="{self.x(x2)}" y2="{self.y(y2)}" '
            f'stroke="{colour}" stroke-width="{width}"/>'
        )

    def points(self, pairs, colour, radius=2, opacity=1.0):
        """Points above the upper end of the axis lie on it."""
        dots = "".join(f'<circle cx="{self.x(x)}" cy="{self.y(y)}" r="{radius}"/>' for x, y in pairs)
        self.parts.append(f'<g fill="{colour}" fill-opacity="{opacity}">{dots}</g>')

    def legend(self, colour, words):
        y = TOP + 16 + 18 * self.legend_entries
        self.legend_entries += 1
        self.parts.append(f'<circle cx="{LEFT + 16}" cy="{y - 4}" r="4" fill="{colour}"/>')
        self.text(LEFT + 26, y, words, "start")

    def svg(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def ticks(end):
    """Round numbers from 0 to `end`, four to nine of them."""
    step = next(s for s in (m * 10**e for e in range(-3, 7) for m in (1, 2, 5)) if end / s <= 8)
    return [number * step for number in range(int(end / step + 1e-9) + 1)]
