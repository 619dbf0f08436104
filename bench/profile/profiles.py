# SPDX-License-Identifier: GPL-2.0-only
"""What the exit profiler recorded: read, checked, looked up."""

import glob
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from results import Fault  # noqa: E402 pylint: disable=wrong-import-position

FORMAT = "vmx-fastpath-profile-1"

# What is counted between exit and entry, and how it is written out.
FIGURES = {
    "instructions": "instructions",
    "irq_off": "instructions with interrupts off",
    "spin": "instructions spun, counted apart",
    "vmread": "VMREAD",
    "vmwrite": "VMWRITE",
    "rdmsr": "RDMSR",
    "wrmsr": "WRMSR",
    "xcr": "XSETBV, XGETBV",
    "cr_dr": "MOV to and from CR, DR",
    "locked": "locked operations",
    "rdtsc": "RDTSC, RDTSCP, RDPMC",
    "fence": "fences, serialising instructions",
    "pause": "PAUSE",
    "taken_branches": "taken branches",
    "calls": "calls",
    "returns": "returns",
    "lines_code": "cache lines of code (64 bytes)",
    "lines_data": "cache lines of data (64 bytes)",
    "lines_read": "cache lines read (64 bytes)",
    "lines_written": "cache lines written (64 bytes)",
    "pages": "pages of code and data (4 KiB)",
}

# In the order of the columns.
MODES = {"stock": "stock", "off": "fastpath=0", "on": "fastpath=1", "floor": "floor"}

# What makes two recordings of one mode different, besides the mitigations.
LOAD = ("apicv", "preemption_timer", "vcpus", "memslots")


def require(condition, text):
    """The input is as it must be, or is refused."""
    if not condition:
        raise ValueError(text)


def number(value, name):
    """A count."""
    require(isinstance(value, int) and not isinstance(value, bool) and value >= 0,
            f"{name} is no count: {value!r}")
    return value


class Exit:
    """All the exits of one kind, in one recording."""

    def __init__(self, data):
        self.reason = number(data["reason"], "reason")
        self.name = data["name"]
        self.detail = data.get("detail") or ""
        require(isinstance(self.name, str) and self.name and isinstance(self.detail, str),
                "an exit without a name")
        self.path = data["path"]
        require(self.path in ("loop", "kvm"), f"path {self.path!r} is neither loop nor kvm")
        self.interrupted = data["interrupted"]
        require(isinstance(self.interrupted, bool), "interrupted is neither true nor false")
        self.count = number(data["count"], "count")
        require(self.count, f"{self.label}: no exit")
        self.figures = {name: self.read_figure(name, data["figures"][name])
                        for name in FIGURES}
        self.msrs = {key: {msr: number(count, msr) for msr, count in data.get(key, {}).items()}
                     for key in ("wrmsr_by_msr", "rdmsr_by_msr")}
        self.functions = {}
        for item in data["functions"]:
            name, module = item["function"], item["module"]
            require(isinstance(name, str) and (module is None or isinstance(module, str)),
                    "a function without a name")
            key = (name, module or "")
            require(key not in self.functions, f"{self.label}: {name} is there twice")
            self.functions[key] = number(item["self"], name)
        self.stacks = {stack: number(count, stack) for stack, count in data["stacks"].items()}
        most = self.figures["instructions"]["total"]
        for what, parts in (("functions", self.functions), ("stacks", self.stacks)):
            require(sum(parts.values()) <= most,
                    f"{self.label}: more instructions in its {what} than in all")

    def read_figure(self, name, data):
        """Least, median, most and sum of a figure; they must fit each other."""
        figure = {key: number(data[key], name) for key in ("min", "p50", "max", "total")}
        require(figure["min"] <= figure["p50"] <= figure["max"] and
                figure["min"] * self.count <= figure["total"] <= figure["max"] * self.count,
                f"{self.label}: {name} is not consistent: {figure}")
        return figure

    @property
    def label(self):
        """The kind of exit, as budgets name it."""
        return f"{self.name}/{self.detail}" if self.detail else self.name

    @property
    def key(self):
        """What no other exit of the recording has."""
        return (self.reason, self.name, self.detail, self.path, self.interrupted)

    def p50(self, name):
        """The median."""
        return self.figures[name]["p50"]

    def most(self, name):
        """The dearest exit's."""
        return self.figures[name]["max"]

    def mean(self, name):
        """For an exit, on average."""
        return self.figures[name]["total"] / self.count

    def summary(self, name):
        """What does not depend on how many exits were recorded."""
        figure = self.figures[name]
        return figure["min"], figure["p50"], figure["max"], self.mean(name)

    def per_exit(self, parts):
        """Function names or stacks with their instructions for an exit, on average.
        Functions of one name in two modules are told apart by the module."""
        names = [key[0] for key in parts if isinstance(key, tuple)]
        shown = {}
        for key, count in parts.items():
            if isinstance(key, tuple):
                name, module = key
                key = f"{name} [{module}]" if names.count(name) > 1 else name
            shown[key] = count / self.count
        return shown


class Recording:
    """One row of the benchmark in one mode."""

    def __init__(self, data, mitigations):
        self.mode, self.row = data["mode"], data["row"]
        require(all(isinstance(text, str) and text for text in (self.mode, self.row)),
                "a recording without mode or row")
        self.mitigations = mitigations
        self.load = tuple(number(data[key], key) for key in LOAD)
        self.iterations = number(data["iterations"], "iterations")
        self.exits = {}
        for item in data["exits"]:
            one = Exit(item)
            require(one.key not in self.exits, f"{one.label} is there twice")
            self.exits[one.key] = one

    @property
    def key(self):
        """What no other recording has."""
        return (self.row, self.mitigations, self.load, self.mode)

    def kinds(self):
        """(reason, label) of the exits, without repetition."""
        return sorted({(one.reason, one.label) for one in self.exits.values()})

    def of_kind(self, label):
        """Exits of a kind that no interrupt of the host disturbed, most frequent way first."""
        return sorted((one for one in self.exits.values()
                       if one.label == label and not one.interrupted),
                      key=lambda one: (-one.count, one.path))

    def disturbed(self, label):
        """Exits of a kind during which the host took an interrupt."""
        return [one for one in self.exits.values() if one.label == label and one.interrupted]

    def place(self):
        """Where this is, as users write it."""
        return (f"{self.row}, {MODES.get(self.mode, self.mode)}, "
                f"mitigations={self.mitigations}, {describe_load(self.load)}")


def plural(count):
    """The ending of a noun."""
    return "" if count == 1 else "s"


def describe_load(load):
    """A load in words."""
    apicv, timer, vcpus, memslots = load
    return (f"APICv {'on' if apicv else 'off'}, preemption timer {'on' if timer else 'off'}, "
            f"{vcpus} vCPU{plural(vcpus)}, {memslots} memslot{plural(memslots)}")


def read(path):
    """The head of a profile.json, and its recordings by their keys."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        require(isinstance(data, dict) and data.get("format") == FORMAT,
                f"its format is not {FORMAT}")
        head = {key: data[key] for key in ("kernel", "mitigations")}
        require(all(isinstance(text, str) for text in head.values()), "no kernel in it")
        head["cpu"] = data.get("facts", {}).get("cpu", "unknown CPU")
        recordings = {}
        for item in data["recordings"]:
            one = Recording(item, head["mitigations"])
            require(one.key not in recordings, f"{one.place()}: there twice")
            recordings[one.key] = one
    except OSError as error:
        raise Fault(f"{path}: {error.strerror}: record one with 'make profile'") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"without {error}" if isinstance(error, KeyError) else str(error)
        raise Fault(f"{path}: not a profile.json: {why}") from error
    if not any(one.exits for one in recordings.values()):
        raise Fault(f"{path}: no exit in it: was the marked region run?")
    return head, recordings


def files_in(path):
    """The file, or those that the profiler has left in the directory."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(glob.glob(os.path.join(glob.escape(path), "mitigations-*", "profile.json")))
    return found or [os.path.join(path, "profile.json")]


def read_all(paths):
    """As read(), of several files or directories together, all of one kernel and CPU."""
    heads, recordings = [], {}
    paths = [file for path in paths for file in files_in(path)]
    for path in paths:
        head, more = read(path)
        for key, one in more.items():
            if key in recordings:
                raise Fault(f"{path}: {one.place()}: in another file as well")
            recordings[key] = one
        heads.append(head)
        for key in ("kernel", "cpu"):
            if head[key] != heads[0][key]:
                raise Fault(f"{path}: {key} {head[key]}, but {heads[0][key]} in {paths[0]}")
    return heads, recordings


def bare_switch(recordings, mitigations, load):
    """The exit that did nothing but enter again: the floor module's, of the same load or
    else of the least, since the switch knows neither vCPUs nor memslots."""
    same = [one for one in recordings.values()
            if one.mode == "floor" and one.mitigations == mitigations and
            one.load[:2] == load[:2]]
    for one in sorted(same, key=lambda one: (one.load != load, one.load[2:], one.row)):
        loops = [found for found in one.exits.values()
                 if found.path == "loop" and not found.interrupted]
        if loops:
            return max(loops, key=lambda found: found.count)
    return None


def modules(recordings):
    """{function: module}. A caller that executes nothing itself in one exit does in another."""
    return dict(key for one in recordings.values() for exit_ in one.exits.values()
                for key in exit_.functions)
