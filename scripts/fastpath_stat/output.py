# SPDX-License-Identifier: GPL-2.0-only
"""An interval as a table or as JSON."""

import json

from .hints import hint
from .tsc import to_ns

TOP_BAILS = 3

# Shorter than the counters' names; a handler that is not here shows under its own.
HANDLERS = {"wrmsr_tscdeadline": "wrmsr", "preemption_timer": "timer", "x2apic_eoi": "eoi"}
COUNTERS = {"delivered": "deliv", "spins_good": "good", "spins_bad": "bad", "late": "late",
            "early": "early"}

SETTINGS = {-2: "inherit", -1: "tune", 0: "none"}


def setting(value, where):
    """A setting of the advance in words."""
    if value is None:
        return "?"
    return f"{SETTINGS.get(value, value)} ({where})"


def setting_in_force(vcpu, vm, module):
    """The setting that counts for a vCPU, and whose it is."""
    own = vcpu.settings["advance_ns"]
    if own != -2:
        return setting(own, "vcpu")
    if vm.advance_ns != -2:
        return setting(vm.advance_ns, "vm")
    return setting(module, "module")


def headings(counters):
    """(heading, counter) of the counters that have a column."""
    order = [f"handled_{name}" for name in HANDLERS]
    handled = [name for name in order if name in counters] + sorted(
        name for name in counters if name.startswith("handled_") and name not in order)
    columns = [(HANDLERS.get(name[len("handled_"):], name), name) for name in handled]
    return columns + [(title, name) for name, title in COUNTERS.items()]


class Table:
    """Lines for a person."""

    def __init__(self, module_advance, tsc_khz, seconds):
        self.module_advance = module_advance
        self.tsc_khz = tsc_khz
        self.seconds = seconds

    def number(self, count):
        """A count, or its rate if there is an interval."""
        if self.seconds is None:
            return str(count)
        rate = count / self.seconds
        return f"{rate:.1f}" if 0 < rate < 10 else f"{rate:.0f}"

    def lateness(self, histogram):
        """The cells of the percentiles."""
        if not histogram.total:
            return ["-"] * 3
        return [self.time(bound, histogram) for bound in histogram.summary().values()]

    def time(self, ticks, histogram):
        """The upper bound of a bucket; ">" and its lower one where it has none."""
        more, ticks = ("", ticks) if ticks is not None else (">", histogram.lows[-1] - 1)
        return f"{more}{to_ns(ticks, self.tsc_khz) if self.tsc_khz else ticks}"

    def vm(self, vm):
        """The lines of a VM."""
        per = "" if self.seconds is None else "/s"
        yield f"pid {vm.pid} ({vm.command or '?'}) fd {vm.fd}: {self.number(vm.exits)} exits{per}"
        if not vm.vcpus:
            yield "  no vCPU has run yet"
            return
        columns = headings(next(iter(vm.vcpus.values())).counters)
        titles = ["vcpu"] + [title + per for title, _ in columns] + \
            ["bails" + per, "p50", "p99", "max", "advance", "setting"]
        rows = [titles]
        for vcpu in vm.vcpus.values():
            bails = sum(count for name, count in vcpu.counters.items()
                        if name.startswith("bail_"))
            advance = vcpu.settings["advance_in_force_ns"]
            rows.append([str(vcpu.index)] +
                        [self.number(vcpu.counters.get(name, 0)) for _, name in columns] +
                        [self.number(bails)] + self.lateness(vcpu.histograms["lateness"]) +
                        ["?" if advance is None else str(advance),
                         setting_in_force(vcpu, vm, self.module_advance)])
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            yield "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths))
        for reason, count in vm.bails()[:TOP_BAILS]:
            yield f"  bail {reason} {self.number(count)}{per}: {hint(reason)}"

    def lines(self, vms, is_on, percent):
        """All of it."""
        unit = f"ns (TSC {self.tsc_khz} kHz)" if self.tsc_khz else \
            "TSC ticks (its frequency is not known: give --tsc-khz)"
        what = "totals since creation" if self.seconds is None else f"last {self.seconds:.1f} s"
        yield f"fastpath={int(is_on)}, advance {setting(self.module_advance, 'module')}, " \
              f"tuned for {percent or '?'} %; {what}"
        yield f"p50, p99, max: lateness, upper bounds in {unit}; advance in ns"
        if not vms:
            yield "no VM is running"
        for vm in vms:
            yield ""
            yield from self.vm(vm)


def json_histogram(histogram, tsc_khz):
    """
    Buckets and percentiles. Of the latter, null is the last bucket, which has no bound;
    all of them are if nothing was counted.
    """
    ticks = histogram.summary()
    return {"buckets": [list(bucket) for bucket in zip(histogram.lows, histogram.counts)],
            "count": histogram.total, "overflow": histogram.overflow, "ticks": ticks,
            "ns": {name: to_ns(bound, tsc_khz) for name, bound in ticks.items()}
                  if tsc_khz else None}


def json_vm(vm, module_advance, tsc_khz):
    """A VM as an object."""
    vcpus = [{"vcpu": vcpu.index, "counters": vcpu.counters, "advance": dict(
                  vcpu.settings, setting=setting_in_force(vcpu, vm, module_advance)),
              **{name: json_histogram(histogram, tsc_khz)
                 for name, histogram in vcpu.histograms.items()}}
             for vcpu in vm.vcpus.values()]
    return {"pid": vm.pid, "fd": vm.fd, "command": vm.command, "exits": vm.exits,
            "advance_ns": vm.advance_ns, "vcpus": vcpus,
            "bails": [{"reason": reason, "count": count, "hint": hint(reason)}
                      for reason, count in vm.bails()]}


def json_line(vms, host, tsc_khz, seconds, module_advance):
    """An interval as one object on one line."""
    return json.dumps({"interval_s": seconds, "fastpath": host.is_on, "tsc_khz": tsc_khz,
                       "advance_ns": module_advance,
                       "vms": [json_vm(vm, module_advance, tsc_khz) for vm in vms]})
