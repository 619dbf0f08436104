# SPDX-License-Identifier: GPL-2.0-only
"""What KVM and the fast path have to say of themselves, in debugfs and sysfs."""

import os
import re

from .histogram import Histogram

HISTOGRAMS = ("lateness", "spin_length")
SETTINGS = ("advance_ns", "advance_in_force_ns")
PREFIX = "fastpath_"

# A maximum has no difference between then and now.
MAXIMA = ("longest_run",)


class Refusal(Exception):
    """Nothing can be shown. Says why, and what to do."""


def read(path):
    """The content of a file; None if it is not there, or not any more."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        # A VM that ends takes its files along, between any two system calls. A locked
        # down kernel refuses those that could be written.
        return None


def number(path):
    """The number in a file, or None."""
    try:
        return int(read(path) or "")
    except ValueError:
        return None


class Vcpu:
    """One vCPU, at one time or over an interval. It lives as long as its VM."""

    def __init__(self, index, counters, histograms, settings):
        self.index = index
        self.counters = counters
        self.histograms = histograms
        self.settings = settings

    @classmethod
    def load(cls, path):
        """Of a vCPU's folder. None if it has not run yet, or has gone."""
        try:
            names = os.listdir(path)
        except OSError:
            return None
        counters, histograms = {}, {}
        for file in sorted(names):
            if not file.startswith(PREFIX):
                continue
            name, text = file[len(PREFIX):], read(os.path.join(path, file))
            if name in SETTINGS:
                continue
            try:
                if name in HISTOGRAMS:
                    histograms[name] = Histogram.parse(text or "")
                else:
                    counters[name] = int(text or "")
            except ValueError:
                return None
        if not counters or len(histograms) != len(HISTOGRAMS):
            return None
        settings = {name: number(os.path.join(path, PREFIX + name)) for name in SETTINGS}
        return cls(int(path.rpartition("vcpu")[2]), counters, histograms, settings)

    def since(self, before):
        """The interval since "before"; since its creation if there was none."""
        if not before or before.counters.keys() != self.counters.keys():
            return self
        counters = {name: count if name in MAXIMA else count - before.counters[name]
                    for name, count in self.counters.items()}
        histograms = {name: histogram.since(before.histograms[name])
                      for name, histogram in self.histograms.items()}
        return Vcpu(self.index, counters, histograms, self.settings)


class Vm:
    """One VM, at one time or over an interval."""

    def __init__(self, name, identity, command, exits, advance_ns, vcpus):
        self.name = name
        self.pid, self.fd = map(int, name.split("-"))
        self.identity = identity
        self.command = command
        self.exits = exits
        self.advance_ns = advance_ns
        self.vcpus = vcpus

    @classmethod
    def load(cls, directory, name):
        """Of a VM's folder. None if it has gone."""
        path = os.path.join(directory, name)
        try:
            inode = os.stat(path).st_ino
            folders = [entry for entry in os.listdir(path) if re.fullmatch(r"vcpu\d+", entry)]
        except OSError:
            return None
        vcpus = filter(None, (Vcpu.load(os.path.join(path, folder)) for folder in folders))
        return cls(name, inode, read(f"/proc/{name.partition('-')[0]}/comm"),
                   number(os.path.join(path, "exits")) or 0,
                   number(os.path.join(path, PREFIX + "advance_ns")),
                   {vcpu.index: vcpu for vcpu in sorted(vcpus, key=lambda vcpu: vcpu.index)})

    def since(self, before):
        """
        The interval since "before"; since its creation if that was another VM. The name
        does not tell: a process that starts a VM after another's end uses it again.
        """
        if not before or before.identity != self.identity:
            return self
        # KVM's own counters can be cleared.
        exits = self.exits - (before.exits if before.exits <= self.exits else 0)
        vcpus = {index: vcpu.since(before.vcpus.get(index))
                 for index, vcpu in self.vcpus.items()}
        return Vm(self.name, self.identity, self.command, exits, self.advance_ns, vcpus)

    def bails(self):
        """(reason, count) of all vCPUs, the most frequent first, zeros left out."""
        counts = {}
        for vcpu in self.vcpus.values():
            for name, count in vcpu.counters.items():
                if name.startswith("bail_") and count:
                    reason = name[len("bail_"):]
                    counts[reason] = counts.get(reason, 0) + count
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


class Host:
    """Where to look."""

    def __init__(self, debugfs, sysfs):
        self.debugfs = debugfs
        self.kvm = os.path.join(debugfs, "kvm")
        self.module = os.path.join(sysfs, "module/kvm_intel")

    def parameter(self, name):
        """A parameter of kvm_intel, as text, or None."""
        return read(os.path.join(self.module, "parameters", name))

    def check(self):
        """Refuse where there can be nothing to show."""
        if not os.path.isdir(self.module):
            raise Refusal("kvm_intel is not loaded: run 'modprobe kvm_intel fastpath=1'")
        if not os.path.exists(os.path.join(self.module, "parameters/fastpath")):
            raise Refusal("the kvm_intel that is loaded has no fast path: install vmx-fastpath's "
                          "('make install'), stop all VMs and load it again")
        try:
            os.listdir(self.kvm)
        except PermissionError:
            raise Refusal(f"{self.kvm} may not be read: run it as root") from None
        except OSError:
            raise Refusal(f"{self.kvm} is not there: mount debugfs, as root, with 'mount -t "
                          f"debugfs debugfs {self.debugfs}'") from None

    @property
    def is_on(self):
        """Whether the fast path is on now."""
        return self.parameter("fastpath") == "Y"

    def snapshot(self, pid=None):
        """All VMs by name, or those of one process."""
        try:
            names = os.listdir(self.kvm)
        except OSError:
            # kvm.ko is being unloaded.
            return {}
        vms = {}
        for name in sorted(names):
            if not re.fullmatch(r"\d+-\d+", name) or pid not in (None, int(name.split("-")[0])):
                continue
            loaded = Vm.load(self.kvm, name)
            if loaded:
                vms[name] = loaded
        return vms
