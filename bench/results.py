# SPDX-License-Identifier: GPL-2.0-only
"""What the benchmark measured: read, checked, put in order, written."""

import json
import math

ROWS = ["cpuid", "vmcall", "tscdeadline_arm", "tscdeadline_immed", "tscdeadline",
        "tscdeadline_over", "tscdeadline_latency", "floor"]
LATENESS = ["min", "mean", "p50", "p99", "max"]

# What tells the rows of bench.json apart; files from before there were options for
# the last two had one of each.
KEY = ["name", "mode", "apicv", "preemption_timer", "mitigations", "vcpus", "memslots"]
LOADS = {"vcpus": 1, "memslots": 1}

# Stock measured twice may differ by so much before nothing can be said of the
# modes between. Instruction counts: half of what fastpath=0 is allowed to cost.
MAX_DRIFT = {"instructions": 0.005, "cycles": 0.03}


class Fault(Exception):
    """Input that is no measurement, or a measurement that cannot be trusted."""


def read_log(path):
    """Facts and rows out of a run's result.log."""
    facts, rows = {}, []
    try:
        with open(path, encoding="utf-8") as log:
            lines = log.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Fault(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        kind, _, rest = line.strip().partition(" ")
        try:
            if kind == "fact":
                key, _, value = rest.partition(" ")
                facts[key] = value
            elif kind == "row":
                mode, apicv, timer, text = rest.split(" ", 3)
                rows.append(read_row(mode, apicv, timer, json.loads(text)))
        except (ValueError, KeyError, TypeError) as error:
            raise Fault(f"{path}: line {number}: {error!r}") from error
    if not rows:
        raise Fault(f"{path}: no rows in it")
    for row in rows:
        row["mitigations"] = facts.get("mitigations", "unknown")
    return facts, rows


def read_row(mode, apicv, timer, data):
    """One row as the guest's host program wrote it."""
    figure = float(data["figure"])
    counters = {name: value for name, value in data.get("counters", {}).items() if value}
    runs = [float(run) for run in data["runs"]]
    if not runs or not all(map(math.isfinite, runs + [figure])):
        raise ValueError(f"row {data['name']} without good figures")
    if data["name"] == "tscdeadline_latency":
        lateness = [float(data["lateness"][key]) for key in LATENESS]
        counts = data["lateness"]["histogram"] + [
            int(data["lateness"][key]) for key in ("early", "overflow", "width")]
        if not all(map(math.isfinite, lateness + counts)):
            raise ValueError("lateness without good figures")
    return dict(data, mode=mode, apicv=apicv == "1", preemption_timer=timer == "1",
                figure=figure, runs=runs, counters=counters)


def add_overheads(rows):
    """tscdeadline_over: what tscdeadline takes over the deadline itself."""
    for row in list(rows):
        if row["name"] != "tscdeadline":
            continue
        # Rounded as the guest's host program rounds: three decimals.
        over = dict(row, name="tscdeadline_over",
                    figure=round(row["figure"] - row["deadline"], 3),
                    runs=[round(run - row["deadline"], 3) for run in row["runs"]])
        rows.insert(rows.index(row) + 1, over)


def find(rows, name, mode, mitigations):
    """The row of one cell of the table, or None."""
    for row in rows:
        if (row["name"], row["mode"], row["mitigations"]) == (name, mode, mitigations):
            return row
    return None


def take_drift(rows):
    """Take "again" out of rows. Return how far stock went, as a fraction, by row.

    Only of whole rows: in tscdeadline_over and tscdeadline_latency the same noise
    stands against a much smaller figure."""
    drifts = {}
    for row in [row for row in rows if row["mode"] == "again"]:
        rows.remove(row)
        stock = find(rows, row["name"], "stock", row["mitigations"])
        if row["name"] in ("tscdeadline_over", "tscdeadline_latency"):
            continue
        if stock and stock["figure"]:
            drifts[row["name"], row["mitigations"]] = row["figure"] / stock["figure"] - 1
    return drifts


def faults(rows, drifts, unit):
    """Reasons, as text, to distrust the measurement."""
    for (name, mitigations), drift in sorted(drifts.items()):
        if abs(drift) > MAX_DRIFT[unit]:
            yield (f"{name}, mitigations {mitigations}: stock measured again "
                   f"differs by {drift:+.2%}")
    for row in rows:
        handled = row_handled(row)
        if row["mode"] == "off" and handled:
            yield f"{row['name']}: fastpath=0, but {handled:.0f} exits were handled"
        # Under QEMU nothing is counted, and other rows have no exit to handle.
        if (row["mode"] == "on" and row["name"].startswith("tscdeadline") and
                "iterations" in row and not handled):
            yield f"{row['name']}: fastpath=1, but no exit was handled"


def row_handled(row):
    """Exits that the fast path handled, all repeats together."""
    return sum(value for name, value in row.get("counters", {}).items()
               if name.startswith("handled_"))


def to_json(machine, rows, unit):
    """The text of bench.json: a row a line."""
    lines = []
    for row in rows:
        shown = {"name": row["name"], "mode": row["mode"], "apicv": row["apicv"],
                 "preemption_timer": row["preemption_timer"],
                 "mitigations": row["mitigations"], unit: row["figure"]}
        for key in (*LOADS, "exits", "counters", "lateness"):
            if row.get(key) not in (None, {}):
                shown[key] = row[key]
        shown["runs"] = row["runs"]
        lines.append(json.dumps(shown))
    body = ",\n    ".join(lines)
    return (f'{{\n  "machine": {json.dumps(machine)},\n'
            f'  "rows": [\n    {body}\n  ]\n}}\n')


def read_rows(path):
    """The rows of a bench.json, as they are in it."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Fault(f"{path}: not a bench.json: {error!r}") from error


def read_json(path):
    """{values of KEY: figure} of a bench.json, and its unit."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        unit = data["machine"]["unit"]
        cells = {}
        for row in data["rows"]:
            row = dict(LOADS, **row)
            key = tuple(row[name] for name in KEY)
            if key in cells:
                raise ValueError(f"row {key} is there twice")
            cells[key] = float(row[unit])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Fault(f"{path}: not a bench.json: {error!r}") from error
    return cells, unit


def print_verdicts(checked):
    """Print a list of (good, text) and its sum; how many are not good is the result."""
    for number, (good, text) in enumerate(checked, 1):
        print(f"{'ok' if good else 'not ok'} {number} {text}")
    failed = sum(not good for good, _ in checked)
    print(f"{len(checked) - failed} passed, {failed} failed, 0 skipped")
    return failed
