# SPDX-License-Identifier: GPL-2.0-only
"""Small profiles, made by hand, for the tests."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import profiles

HERE = os.path.dirname(os.path.abspath(__file__))

WRITE = (32, "MSR_WRITE", "IA32_TSC_DEADLINE")
EXPIRY = (52, "PREEMPTION_TIMER", "")
CALL = (18, "VMCALL", "")
LABEL = "MSR_WRITE/IA32_TSC_DEADLINE"


def figure(values):
    """A figure of so many exits."""
    ordered = sorted(values)
    return {"min": ordered[0], "p50": ordered[(len(ordered) - 1) // 2], "max": ordered[-1],
            "total": sum(ordered)}


def exits(kind, path, instructions, functions=(), **more):
    """Exits of a kind: so many instructions each, the other figures the same in all."""
    reason, name, detail = kind
    count = len(instructions)
    interrupted = more.pop("interrupted", False)
    wrmsr = more.pop("wrmsr_by_msr", {})
    figures = {name: figure([more.pop(name, 0)] * count) for name in profiles.FIGURES}
    figures["instructions"] = figure(instructions)
    assert not more, more
    return {"reason": reason, "name": name, "detail": detail, "path": path,
            "interrupted": interrupted, "count": count, "figures": figures,
            "wrmsr_by_msr": wrmsr, "rdmsr_by_msr": {},
            "functions": [{"function": name, "module": module, "self": count_, "calls": 0}
                          for name, module, count_ in functions],
            "stacks": {f"caller;{name}": count_ for name, _, count_ in functions}}


def recording(mode, row, *kinds, apicv=1, vcpus=1, memslots=2):
    """A recording of these exits."""
    return {"mode": mode, "apicv": apicv, "preemption_timer": 1, "row": row, "vcpus": vcpus,
            "memslots": memslots, "iterations": 4, "exits": list(kinds)}


def profile(*recorded, mitigations="off"):
    """A profile.json."""
    return {"format": profiles.FORMAT, "kernel": "6.12.0-test", "mitigations": mitigations,
            "facts": {"cpu": "Test CPU"}, "recordings": list(recorded)}


def fast(instructions=(150, 150, 150, 158), functions=None, **more):
    """The exits of WRMSR with fastpath=1."""
    functions = functions or [("__vmx_vcpu_run", "kvm_intel", 408),
                              ("__vmx_fastpath_run", "kvm_intel", 200)]
    settings = {"vmread": 6, "vmwrite": 3, "lines_data": 20, "irq_off": 150, **more}
    return exits(WRITE, "loop", list(instructions), functions, **settings)


def slow(instructions, **more):
    """The exits of WRMSR without it."""
    functions = [("vcpu_enter_guest", "kvm", 2000), ("__vmx_vcpu_run", "kvm_intel", 400)]
    return exits(WRITE, "kvm", [instructions] * 4, functions, vmread=9, locked=2, wrmsr=1,
                 wrmsr_by_msr={"IA32_SPEC_CTRL": 4}, **more)


def floor(lines_data=8):
    """The bare world switch, and its last exit that KVM gets."""
    return recording("floor", "floor", exits(CALL, "loop", [100] * 8, vmread=1,
                                             lines_data=lines_data),
                     exits(CALL, "kvm", [1500]))


def good(**more):
    """A recording in each mode."""
    return [recording("stock", "arm", slow(1200)), recording("off", "arm", slow(1202)),
            recording("on", "arm", fast(**more)), floor()]


class ProfileTest(unittest.TestCase):
    """Runs the programs as the user does."""

    def setUp(self):
        # Closed by the cleanup. pylint: disable=consider-using-with
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.written = 0

    def path(self, name):
        """A path below the test's own directory."""
        return os.path.join(self.directory.name, name)

    def write(self, content, name=None):
        """A file of this text, or of this as JSON; where it is."""
        self.written += 1
        path = self.path(name or str(self.written))
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_program(self, name, *arguments):
        """Status, stdout and stderr."""
        done = subprocess.run([sys.executable, os.path.join(HERE, name), *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def refused(self, status_wanted, told, name, *arguments):
        """The program says in one line what is wrong, and nothing else."""
        status, out, err = self.run_program(name, *arguments)
        self.assertEqual((status, out), (status_wanted, ""), err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertTrue(err.startswith(f"{name}: "), err)
        self.assertIn(told, err)
