# SPDX-License-Identifier: GPL-2.0-only
"""Flame graphs of a kind of exit, a panel for each mode, as one SVG.

The callers are on top. Each panel has a scale of its own, or else the labels of a mode
with few instructions would not fit; the bar in its head is to one scale in all panels.
"""

import os
import re
import zlib
from xml.sax.saxutils import escape

import profiles

WIDTH = 1200
MARGIN = 12
FRAME = 20
FONT = 12
# Of DejaVu Sans Mono and its like, at this size.
LETTER = 7.3
# Frames that are narrower than this, in pixels, are left out.
NARROWEST = 0.5
GAP = 0.5

COLOURS = {"kvm_intel": (228, 131, 60), "kvm": (112, 173, 98), "kernel": (110, 155, 205)}
LEGEND = {"kvm_intel": "kvm-intel", "kvm": "kvm", "kernel": "kernel", None: "other"}
OTHER = (170, 170, 170)


class Node:
    """A function in a call stack: what it and its callees executed for an exit."""

    def __init__(self, name):
        self.name, self.total, self.own, self.callees = name, 0.0, 0.0, {}

    def depth(self):
        """Levels below this one, and it."""
        return 1 + max((callee.depth() for callee in self.callees.values()), default=0)


def tree(one):
    """The root of all call stacks of an exit, which is no function."""
    root = Node("")
    for stack, count in one.per_exit(one.stacks).items():
        node = root
        node.total += count
        for name in stack.split(";"):
            node = node.callees.setdefault(name, Node(name))
            node.total += count
        node.own += count
    return root


def colour(name, module):
    """Of the module, in a shade that neighbours are unlikely to share."""
    base = COLOURS.get(module, OTHER)
    shade = 1 + (zlib.crc32(name.encode()) % 9) / 24
    return "#" + "".join(f"{min(round(part * shade), 255):02x}" for part in base)


def text(left, top, content, size=FONT, extra=""):
    """A line of text, its baseline at top."""
    return (f'<text x="{left:.1f}" y="{top:.1f}" font-size="{size}"{extra}>'
            f'{escape(content)}</text>')


def frames(node, left, top, scale, modules):
    """The rectangles of a node's callees, dearest first, and of theirs."""
    for callee in sorted(node.callees.values(), key=lambda item: (-item.total, item.name)):
        width = callee.total * scale
        if width < NARROWEST:
            continue
        hint = f"{callee.name}: {callee.total:.1f} instructions for an exit, own {callee.own:.1f}"
        yield (f'<g><title>{escape(hint)}</title>'
               f'<rect x="{left:.2f}" y="{top:.1f}" width="{max(width - GAP, GAP):.2f}" '
               f'height="{FRAME - 1}" '
               f'fill="{colour(callee.name, modules.get(callee.name))}"/>')
        label = f"{callee.name} {callee.total:.0f}"
        room = int((width - 6) / LETTER)
        if room < len(label):
            label = callee.name if room >= len(callee.name) else callee.name[:room - 2] + ".."
        if room >= 4:
            yield text(left + 3, top + FRAME - 6, label)
        yield "</g>"
        yield from frames(callee, left, top + FRAME, scale, modules)
        left += width


def panel(mode, one, top, largest, modules):
    """A mode's head and its flames; also where the next panel begins."""
    inner = WIDTH - 2 * MARGIN
    total = one.mean("instructions")
    drawn = [text(MARGIN, top + 14, f"{profiles.MODES[mode]}: {total:.1f} instructions for "
                  f"an exit, by {one.path}, mean of {one.count}", 14, ' font-weight="bold"'),
             f'<rect x="{MARGIN}" y="{top + 20}" width="{inner * total / largest:.1f}" '
             f'height="6" fill="#555"/>']
    root = tree(one)
    top += 32
    if root.total:
        drawn += frames(root, MARGIN, top, inner / root.total, modules)
        top += (root.depth() - 1) * FRAME
    else:
        drawn.append(text(MARGIN, top + 14, "no call stacks were recorded"))
        top += FRAME
    return drawn, top + 18


def draw(one, modules):
    """The text of the SVG."""
    largest = max(each.mean("instructions") for each in one.exits.values()) or 1
    where = f"mitigations={one.mitigations}, {profiles.describe_load(one.load)}"
    body = [text(MARGIN, 24, f"{one.row}: {one.label}", 18, ' font-weight="bold"'),
            text(MARGIN, 44, f"{where}. Instructions in an emulated machine; the grey bars "
                 "compare the modes.")]
    left = MARGIN
    for module, label in LEGEND.items():
        body.append(f'<rect x="{left}" y="54" width="14" height="14" '
                    f'fill="{colour("", module)}"/>')
        body.append(text(left + 20, 66, label))
        left += 120
    top = 88
    for mode, each in one.exits.items():
        drawn, top = panel(mode, each, top, largest, modules)
        body += drawn
    lines = "\n".join(body)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top:.0f}" '
            f'viewBox="0 0 {WIDTH} {top:.0f}" font-family="DejaVu Sans Mono, monospace">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n{lines}\n</svg>\n')


def name_of(one):
    """A file's name that tells what is in it."""
    apicv, timer, vcpus, memslots = one.load
    parts = [one.row, one.label, f"mitigations-{one.mitigations}",
             "" if apicv else "no-apicv", "" if timer else "no-timer",
             f"{vcpus}-vcpus-{memslots}-memslots"]
    return re.sub(r"[^\w.-]+", "-", "-".join(filter(None, parts))) + ".svg"


def write(one, directory, modules):
    """Write the SVG, the functions in the colours of their modules; where it is."""
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, name_of(one))
    with open(path, "w", encoding="utf-8") as file:
        file.write(draw(one, modules))
    return path
