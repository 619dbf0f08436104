# SPDX-License-Identifier: GPL-2.0-only
"""One kind of exit in all modes, side by side."""

import profiles

# Exits of the floor stand beside all others.
COMPARED = [mode for mode in profiles.MODES if mode != "floor"]

# Of the iterations of a row.
LEAST_SHARE = 0.05


class Comparison:
    """A kind of exit in one row of the benchmark, under one load."""

    def __init__(self, found, row, mitigations, load, label):
        self.row, self.mitigations, self.load, self.label = row, mitigations, load, label
        self.exits, self.rare, self.disturbed, self.iterations = {}, {}, {}, {}
        for mode in COMPARED:
            one = found.get((row, mitigations, load, mode))
            ways = one.of_kind(label) if one else []
            if ways:
                self.exits[mode], self.rare[mode] = ways[0], ways[1:]
            self.iterations[mode] = one.iterations if one else 0
            apart = one.disturbed(label) if one else []
            if apart:
                self.disturbed[mode] = sum(each.count for each in apart)
        floor = profiles.bare_switch(found, mitigations, load)
        if floor:
            self.exits["floor"] = floor

    def ratio(self, mode, other):
        """The median of instructions in a mode over that in another, or None."""
        if mode not in self.exits or other not in self.exits:
            return None
        below = self.exits[other].p50("instructions")
        return self.exits[mode].p50("instructions") / below if below else None

    def rare_everywhere(self):
        """Few of the row's iterations had such an exit: it is not what the row is about."""
        return all(self.exits[mode].count < LEAST_SHARE * self.iterations[mode]
                   for mode in COMPARED if mode in self.exits)

    def most_exits(self):
        """In the mode that had the most of them."""
        return max(self.exits[mode].count for mode in COMPARED if mode in self.exits)

    def functions(self):
        """{function: {mode: its own instructions for an exit}}, dearest first."""
        table = {}
        for mode, one in self.exits.items():
            for name, count in one.per_exit(one.functions).items():
                table.setdefault(name, {})[mode] = count
        return dict(sorted(table.items(), key=lambda item: (-max(item[1].values()), item[0])))


def configurations(found):
    """(mitigations, load) of all recordings."""
    return sorted({(one.mitigations, one.load) for one in found.values()},
                  key=lambda key: (key[0], [-key[1][0], -key[1][1]], key[1]))


def rows_of(found, mitigations, load):
    """{row: {mode: recording}} of a configuration, rows as they were recorded."""
    rows = {}
    for one in found.values():
        if (one.mitigations, one.load) == (mitigations, load) and one.mode in COMPARED:
            rows.setdefault(one.row, {})[one.mode] = one
    return rows


def compare(found, mitigations, load, only=None):
    """The comparisons of a configuration, of all rows or of one."""
    for row, modes in rows_of(found, mitigations, load).items():
        if only not in (None, row):
            continue
        kinds = sorted({kind for one in modes.values() for kind in one.kinds()})
        for label in dict.fromkeys(label for _, label in kinds):
            one = Comparison(found, row, mitigations, load, label)
            if any(mode in one.exits for mode in COMPARED):
                yield one


def missing(found, mitigations, load, only=None):
    """(row, modes) that were not recorded."""
    for row, modes in rows_of(found, mitigations, load).items():
        absent = [mode for mode in COMPARED if mode not in modes]
        if absent and only in (None, row):
            yield row, absent
