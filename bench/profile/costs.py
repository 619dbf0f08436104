# SPDX-License-Identifier: GPL-2.0-only
"""A model of what counted operations cost on named CPUs: published prices times counts."""

import math
import textwrap

import profiles

# Operation of the file, and how often an exit has it, on average.
OPERATIONS = {
    "transition": lambda one: 1,
    "vmread": lambda one: one.mean("vmread"),
    "vmwrite": lambda one: one.mean("vmwrite"),
    "rdmsr": lambda one: one.mean("rdmsr"),
    "wrmsr": lambda one: one.mean("wrmsr"),
    "xcr": lambda one: one.mean("xcr"),
    "cr_dr": lambda one: one.mean("cr_dr"),
    "locked": lambda one: one.mean("locked"),
    "rdtsc": lambda one: one.mean("rdtsc"),
    "fence": lambda one: one.mean("fence"),
    "instruction": lambda one: max(one.mean("instructions") - sum(
        one.mean(name) for name in APART), 0),
}

# Instructions that have a price of their own, or none at all.
APART = ("vmread", "vmwrite", "rdmsr", "wrmsr", "xcr", "cr_dr", "locked", "rdtsc", "fence")

NAMES = {"transition": "VM exit and entry", "vmread": "VMREAD", "vmwrite": "VMWRITE",
         "rdmsr": "RDMSR", "wrmsr": "WRMSR", "xcr": "XSETBV and XGETBV",
         "cr_dr": "MOV to and from CR and DR", "locked": "locked operations",
         "rdtsc": "RDTSC", "fence": "fences", "instruction": "all other instructions"}

TITLE = """MODEL, nothing measured: cycles for an exit, low..high, as published costs of single
operations times the counts above make them. Caches, overlap and mispredictions are not in it."""

LINE = "  {:<40}{:>14}{:>14}{:>14}{:>14}"


def read(path):
    """{cpu: {operation: (low, high)}} of a file of prices."""
    prices = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise profiles.Fault(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            operation, cpu, low, high, source = line.split(None, 4)
            low, high = float(low), float(high)
            if operation not in OPERATIONS:
                raise ValueError(f"no operation {operation!r}: {', '.join(OPERATIONS)}")
            if not (math.isfinite(high) and 0 <= low <= high and source.strip()):
                raise ValueError("low must not exceed high")
            if operation in prices.setdefault(cpu, {}):
                raise ValueError(f"{operation} of {cpu} is there twice")
        except ValueError as error:
            raise profiles.Fault(
                f"{path}: line {number}: {error}; a line is: operation CPU low high "
                "source") from error
        prices[cpu][operation] = (low, high)
    if not prices:
        raise profiles.Fault(f"{path}: no prices in it")
    return prices


def estimate(one, price):
    """(low, high) cycles, and the operations that have no price."""
    low = high = 0.0
    without = []
    for operation, count in OPERATIONS.items():
        times = count(one)
        if operation in price:
            low += times * price[operation][0]
            high += times * price[operation][1]
        elif times:
            without.append(operation)
    return low, high, without


def table(compared, prices):
    """The lines of the model's own table: exits and CPUs by modes."""
    yield from TITLE.splitlines()
    yield LINE.format("", *profiles.MODES.values())
    absent = {}
    shown = None
    for one in compared:
        if one.row != shown:
            shown = one.row
            yield f"  {one.row}"
        yield f"    {one.label}"
        for cpu, price in prices.items():
            cells = []
            for mode in profiles.MODES:
                if mode not in one.exits:
                    cells.append("-")
                    continue
                low, high, without = estimate(one.exits[mode], price)
                cells.append(f"{low:.0f}..{high:.0f}")
                for operation in without:
                    absent.setdefault(cpu, {})[operation] = True
            yield LINE.format(f"      {cpu}", *cells)
    for cpu, operations in absent.items():
        named = ", ".join(NAMES[name] for name in OPERATIONS if name in operations)
        yield from wrap(f"{cpu}, not in the sum, no cost was published: {named}")


def wrap(text):
    """The text as indented lines that fit."""
    return textwrap.wrap(text, 98, initial_indent="  ", subsequent_indent="      ",
                         break_long_words=False, break_on_hyphens=False)


def as_data(compared, prices):
    """The model's estimates for JSON."""
    return [{"row": one.row, "exit": one.label, "mitigations": one.mitigations,
             **dict(zip(profiles.LOAD, one.load)), "cpu": cpu,
             "modes": {mode: dict(zip(("low", "high", "without"), rounded(
                 estimate(one.exits[mode], price)))) for mode in one.exits}}
            for one in compared for cpu, price in prices.items()]


def rounded(estimated):
    """An estimate without digits that say nothing."""
    low, high, without = estimated
    return round(low), round(high), without


