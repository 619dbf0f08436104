# SPDX-License-Identifier: GPL-2.0-only
"""The files of budgets, and of what each function executed when they were set."""

import math
from fractions import Fraction

import profiles

# The columns that are limits, and what of an exit and of the bare world switch each is
# held against.
LIMITS = {
    "instructions": lambda one, floor: one.p50("instructions"),
    "most": lambda one, floor: one.most("instructions"),
    "ratio": lambda one, floor: Fraction(one.p50("instructions"), floor.p50("instructions")),
    "vmread": lambda one, floor: one.most("vmread"),
    "vmwrite": lambda one, floor: one.most("vmwrite"),
    "wrmsr": lambda one, floor: max(one.most("wrmsr") - floor.most("wrmsr"), 0),
    "locked": lambda one, floor: max(one.most("locked") - floor.most("locked"), 0),
    "lines": lambda one, floor: max(one.p50("lines_data") - floor.p50("lines_data"), 0),
}

WIDTHS = {"row": 17, "exit": 27}

COLUMNS = ("row", "exit", "apicv", "timer", "mitigations", *LIMITS)


def written(value, digits):
    """A figure, rounded up so as not to seem kept to."""
    return f"{math.ceil(value * 10 ** digits) / 10 ** digits:.{digits}f}"


def columns(cells):
    """Cells, each in its column."""
    return "  ".join(f"{cell:<{max(len(name), WIDTHS.get(name, 0))}}"
                     for name, cell in zip(COLUMNS, cells)).rstrip()


class Budget:
    """A line of the file."""

    def __init__(self, words):
        if len(words) != len(COLUMNS):
            raise ValueError(f"{len(words)} columns instead of {len(COLUMNS)}: "
                             f"{' '.join(COLUMNS)}")
        cells = dict(zip(COLUMNS, words))
        self.row, self.exit, self.mitigations = cells["row"], cells["exit"], cells["mitigations"]
        if self.mitigations not in ("off", "on"):
            raise ValueError(f"mitigations are off or on, not {self.mitigations!r}")
        switches = {"0": 0, "1": 1}
        if not {cells["apicv"], cells["timer"]} <= set(switches):
            raise ValueError("apicv and timer are 0 or 1")
        self.switches = (switches[cells["apicv"]], switches[cells["timer"]])
        self.limits = {name: Fraction(cells[name]) for name in LIMITS if cells[name] != "-"}
        if not self.limits:
            raise ValueError("no limit in it")
        if any(limit < 0 for limit in self.limits.values()):
            raise ValueError("a negative limit")

    @property
    def key(self):
        """What no other line has."""
        return (self.row, self.exit, self.switches, self.mitigations)

    @property
    def label(self):
        """The line, as verdicts name it."""
        more = "".join(text for text, on in zip((", no APICv", ", no preemption timer"),
                                                self.switches) if not on)
        return f"{self.row} {self.exit}, mitigations={self.mitigations}{more}"

    def line(self, figures):
        """The line of the file that these figures just keep to."""
        cells = [self.row, self.exit, *map(str, self.switches), self.mitigations]
        for name in LIMITS:
            digits = 2 if name == "ratio" else 0
            cells.append(written(figures[name], digits) if name in self.limits else "-")
        return columns(cells)

    def recordings_in(self, found):
        """Those that it is about, least load first."""
        return sorted((one for one in found.values()
                       if (one.row, one.mode, one.mitigations, one.load[:2]) ==
                       (self.row, "on", self.mitigations, self.switches)),
                      key=lambda one: one.load)


def lines_of(path):
    """(number, words) of the lines that are no comment."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise profiles.Fault(f"{path}: {error}") from error
    return [(number, line.split()) for number, line in enumerate(lines, 1)
            if line.strip() and not line.startswith("#")]


def read(path):
    """All budgets of a file."""
    budgets = {}
    for number, words in lines_of(path):
        try:
            budget = Budget(words)
            if budget.key in budgets:
                raise ValueError(f"{budget.label}: there twice")
        except (ValueError, ZeroDivisionError) as error:
            raise profiles.Fault(f"{path}: line {number}: {error}") from error
        budgets[budget.key] = budget
    if not budgets:
        raise profiles.Fault(f"{path}: no budget in it")
    return list(budgets.values())


def read_baseline(path):
    """{key of a budget: {function: instructions}} when the budgets were set."""
    baseline = {}
    for number, words in lines_of(path):
        try:
            row, exit_, apicv, timer, mitigations, function, count = words
            key = (row, exit_, (int(apicv), int(timer)), mitigations)
            baseline.setdefault(key, {})[function] = float(count)
        except ValueError as error:
            raise profiles.Fault(f"{path}: line {number}: {error}; write a new one with "
                                   "'check-budgets --record'") from error
    return baseline


def baseline_text(measured):
    """The text of such a file, from (budget, exit, floor)."""
    lines = ["# SPDX-License-Identifier: GPL-2.0-only", "#",
             "# What each function executed in a fast exit when the budgets were set, in",
             "# instructions, mean: by bench/profile/check-budgets --record. No limit; on an",
             "# excess it tells which function grew.", "#",
             "# row exit apicv timer mitigations function instructions"]
    for budget, one, _ in measured:
        functions = one.per_exit(one.functions)
        for name in sorted(functions, key=lambda name, functions=functions:
                           (-functions[name], name)):
            lines.append(" ".join((budget.row, budget.exit, *map(str, budget.switches),
                                   budget.mitigations, name.replace(" ", ""),
                                   f"{functions[name]:.2f}")))
    return "\n".join(lines) + "\n"
