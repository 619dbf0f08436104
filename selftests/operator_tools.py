#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What operators look with tells the truth of the fast path, on a VM that runs:

- fastpath-stat, tune-host and the kernel's kvm_stat show what debugfs has;
- what trace-cmd and perf make of the tracepoints, by libtraceevent, has values in all
  fields, and events as often as the counters say;
- perf kvm stat sees each exit that KVM counts;
- each command of the admin guide runs.

For the module with fastpath=1, as root. Prints TAP.
usage: operator_tools.py
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
KVM = "/sys/kernel/debug/kvm"
GUIDE = os.path.join(TOP, "Documentation/admin-guide.rst")
TICKS = "40"

# perf would look for symbols that no event here has, and keep copies of all programs.
PERF_RECORD = ("-q", "-N", "-B")


def run(*command, env=None, stderr=subprocess.PIPE):
    """The output of a command that has to succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True,
                          cwd=TOP, env=env, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}: "
                             f"{(done.stderr or '').strip()} {done.stdout.strip()}")
    return done.stdout


def expect(condition, *what):
    """Like assert, with what there was instead."""
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def numbers(directory):
    """The counters in a folder of debugfs, by name."""
    found = {}
    for name in os.listdir(directory):
        if name.startswith("fastpath_"):
            with open(os.path.join(directory, name), encoding="ascii") as file:
                text = file.read()
            if len(text.split()) == 1 and "advance" not in name:
                found[name[len("fastpath_"):]] = int(text)
    return found


class Guest:
    """ticking_guest."""

    def __init__(self):
        # It ends with the tests. pylint: disable=consider-using-with
        self.process = subprocess.Popen([os.path.join(HERE, "ticking_guest")],
                                        stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        end = time.monotonic() + 30
        while not self.delivers():
            expect(time.monotonic() < end and self.process.poll() is None,
                   "ticking_guest does not tick")
            time.sleep(0.02)

    def folder(self):
        """The VM's, or None."""
        names = [name for name in os.listdir(KVM) if name.startswith(f"{self.pid}-")]
        return os.path.join(KVM, names[0]) if names else None

    def delivers(self):
        """Whether the fast path has delivered anything yet."""
        return self.folder() and numbers(self.folder()).get("delivered")

    def end(self):
        """Kill it."""
        self.process.kill()
        self.process.wait()


def within(before, shown, after, what):
    """Each counter was shown as it was at some time between."""
    expect(before.keys() == shown.keys(), what, "lacks or adds", before.keys() ^ shown.keys())
    for name, value in shown.items():
        expect(before[name] <= value <= after[name], what, name, before[name], value, after[name])


def test_stat_once(guest):
    """fastpath-stat --once: the totals in debugfs"""
    vcpu = os.path.join(guest.folder(), "vcpu0")
    before = numbers(vcpu)
    data = json.loads(run("scripts/fastpath-stat", "--once", "--json", "--pid", str(guest.pid)))
    shown = data["vms"][0]["vcpus"][0]
    within(before, shown["counters"], numbers(vcpu), "fastpath-stat")
    expect(data["fastpath"] is True and data["advance_ns"] == -1, data)
    expect(shown["advance"]["setting"] == "tune (module)", shown["advance"])
    expect(shown["advance"]["advance_in_force_ns"] > 0, shown["advance"])
    expect(0 < shown["lateness"]["count"], shown["lateness"])


def test_tsc_khz(_):
    """fastpath-stat: the TSC's frequency, as the kernel command line has it"""
    with open("/proc/cmdline", encoding="ascii") as file:
        wanted = int(re.search(r"tsc_early_khz=(\d+)", file.read())[1])
    data = json.loads(run("scripts/fastpath-stat", "--once", "--json"))
    expect(abs(data["tsc_khz"] - wanted) <= wanted / 1000, data["tsc_khz"], wanted)


def test_stat_intervals(guest):
    """fastpath-stat --json: two intervals, whose sum is not more than the total"""
    vcpu = os.path.join(guest.folder(), "vcpu0")
    before = numbers(vcpu)
    lines = run("scripts/fastpath-stat", "--json", "--interval", "0.2", "--count", "2").splitlines()
    after = numbers(vcpu)
    expect(len(lines) == 2, lines)
    delivered = 0
    for data in map(json.loads, lines):
        vm = data["vms"][0]
        shown = vm["vcpus"][0]
        expect(0.2 <= data["interval_s"] < 5, data["interval_s"])
        expect(vm["pid"] == guest.pid and vm["exits"] > 0, vm["pid"], vm["exits"])
        expect(shown["counters"]["handled_preemption_timer"] > 0, shown["counters"])
        expect(shown["lateness"]["count"] > 0, shown["lateness"])
        bounds = list(shown["lateness"]["ticks"].values())
        expect(None in bounds or sorted(bounds) == bounds, bounds)
        delivered += shown["counters"]["delivered"]
    expect(0 < delivered <= after["delivered"] - before["delivered"], delivered, before, after)


def test_stat_table(guest):
    """fastpath-stat: the table"""
    out = run("scripts/fastpath-stat", "--interval", "0.1", "--count", "1")
    expect(out.startswith("fastpath=1, advance tune (module), tuned for 99.0 %"), out)
    expect(f"pid {guest.pid} (ticking_guest)" in out, out)
    expect(re.search(r"^ +vcpu +wrmsr/s +timer/s +eoi/s +deliv/s", out, re.M), out)
    expect(re.search(r"^ +0 +\S+ +\S*[1-9]", out, re.M), out)


def test_tune_host(_):
    """tune-host: what this host is known to have"""
    rows = {row["setting"]: row for row in json.loads(run("scripts/tune-host", "--json"))}
    for setting, value, verdict in (("kvm_intel.fastpath", "Y", "ok"),
                                    ("kvm_intel.preemption_timer", "Y", "ok"),
                                    ("kvm_intel.fastpath_advance_ns", "-1", "ok"),
                                    ("clocksource", "tsc", "ok"),
                                    ("isolcpus", "none", "in the way")):
        expect((rows[setting]["value"], rows[setting]["verdict"]) == (value, verdict),
               rows[setting])


def test_kvm_stat(_):
    """kvm_stat -1 -d -i: each of the fast path's sums, and no other value"""
    before = numbers(KVM)
    rows = [line.split() for line in run("kvm_stat", "-1", "-d", "-i", "-f",
                                         "fastpath").splitlines()]
    shown = {name[len("fastpath_"):]: int(value) for name, value, _ in rows}
    within(before, shown, numbers(KVM), "kvm_stat")
    expect(shown["delivered"] > 0 and dict((r[0], int(r[2])) for r in rows)[
        "fastpath_delivered"] > 0, rows)


def guide_commands():
    """What follows a prompt in the guide."""
    with open(GUIDE, encoding="utf-8") as guide:
        return re.findall(r"^ +\$ (.*)$", guide.read(), re.M)


def guide_test(command):
    """The test of a command of the guide. Ten seconds of sleep are a tenth of one here."""
    def test(guest):
        quick = os.path.join(guest.scratch, "bin")
        os.makedirs(quick, exist_ok=True)
        with open(os.path.join(quick, "sleep"), "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nexec /bin/sleep "0.$1"\n')
        os.chmod(os.path.join(quick, "sleep"), 0o755)
        environment = dict(os.environ, PATH=f"{quick}:{os.environ['PATH']}", PID=str(guest.pid),
                           VM=os.path.basename(guest.folder()))
        run("sh", "-e", "-c", f"cd {guest.scratch}; ln -sfn {TOP}/scripts scripts; {command}",
            env=environment)
    test.__doc__ = f"guide: {command}"
    return test


FIELDS = {
    "kvm_fastpath_exit": r"vcpu 0 reason (MSR_WRITE|PREEMPTION_TIMER) "
                         r"rip 0x[0-9a-f]*[1-9a-f][0-9a-f]* cycles [1-9]\d*",
    "kvm_fastpath_bail": r"vcpu 0 reason [A-Z_]+ bail [a-z_0-9]+ "
                         r"rip 0x[0-9a-f]*[1-9a-f][0-9a-f]*",
    "kvm_fastpath_expiry": r"vcpu 0 delta -?\d+ advance [1-9]\d*",
    "kvm_fastpath_tune": r"vcpu 0 cost [1-9]\d* advance \d+ to [1-9]\d*",
}


def events_agree(text, told):
    """Each event's line has values, and there are as many as the guest's counters tell."""
    counts = dict.fromkeys(FIELDS, 0)
    for line in text.splitlines():
        found = re.search(r"(kvm_fastpath_\w+):\s+(.*?)\s*$", line)
        if not found:
            expect("FAILED TO PARSE" not in line, line)
            continue
        name, fields = found.groups()
        expect(name in FIELDS and re.fullmatch(FIELDS[name], fields), line)
        counts[name] += 1
    print("# counted", counts, "told", told)
    expect((counts["kvm_fastpath_exit"], counts["kvm_fastpath_bail"],
            counts["kvm_fastpath_expiry"]) == (told["handled"], told["bail"], told["delivered"]),
           "not as often as counted")
    expect(told["delivered"] > 0, told)


def counts_of(text):
    """What perf_counts_guest tells of itself."""
    return {name: int(value) for name, value in re.findall(
        r"^(exits|handled|bail|delivered) (\d+)$", text, re.M)}


def test_trace_cmd(scratch):
    """trace-cmd: values in all fields, events as often as counted"""
    told = counts_of(run("trace-cmd", "record", "-q", "-o", f"{scratch}/trace.dat", "-e",
                         "kvm_fastpath", f"{HERE}/perf_counts_guest", TICKS))
    events_agree(run("trace-cmd", "report", "-i", f"{scratch}/trace.dat"), told)


def test_perf_script(scratch):
    """perf script: values in all fields, events as often as counted"""
    told = counts_of(run("perf", "record", *PERF_RECORD, "-o", f"{scratch}/perf.data", "-e",
                         "kvm_fastpath:*", f"{HERE}/perf_counts_guest", TICKS))
    events_agree(run("perf", "script", "-i", f"{scratch}/perf.data", "-F", "event,trace"), told)


def test_perf_kvm_stat(scratch):
    """perf kvm stat: all exits that KVM counts, but the last, which no entry follows"""
    told = counts_of(run("perf", "kvm", "--host", "stat", "record", "-o", f"{scratch}/kvm.data",
                         f"{HERE}/perf_counts_guest", TICKS))
    # The report goes where perf's messages go.
    report = run("perf", "kvm", "--host", "-i", f"{scratch}/kvm.data", "stat", "report",
                 stderr=subprocess.STDOUT)
    rows = {name: int(samples) for name, samples in re.findall(
        r"^ *([A-Z_0-9]+) +(\d+) +[\d.]+%", report, re.M)}
    total = re.search(r"Total Samples:(\d+)", report)
    print("# counted", rows, "told", told)
    expect(total and int(total[1]) == sum(rows.values()), report)
    expect(sum(rows.values()) == told["exits"] - 1, report, told)
    expect(rows.get("MSR_WRITE", 0) + rows.get("PREEMPTION_TIMER", 0) >= told["handled"], report)


def main():
    """All of them."""
    if not os.path.exists("/sys/module/kvm_intel/parameters/fastpath"):
        print("1..0 # SKIP kvm_intel has no fast path")
        sys.exit(4)
    # The guest that ticks would be in the records of the whole system.
    guide = list(map(guide_test, guide_commands()))
    looking = [test_stat_once, test_tsc_khz, test_stat_intervals, test_stat_table,
               test_tune_host, test_kvm_stat] + guide
    recording = [test_trace_cmd, test_perf_script, test_perf_kvm_stat]
    print(f"TAP version 13\n1..{len(looking) + len(recording)}", flush=True)
    failed = 0
    if len(guide) < 10:
        sys.exit(f"Bail out! {GUIDE}: only {len(guide)} commands are found")
    with tempfile.TemporaryDirectory() as scratch:
        guest = Guest()
        guest.scratch = scratch
        for number, test in enumerate(looking + recording, 1):
            if test is recording[0]:
                guest.end()
            try:
                test(guest if test in looking else scratch)
                print(f"ok {number} {test.__doc__}", flush=True)
            except (AssertionError, OSError, LookupError, ValueError, TypeError) as error:
                print("\n".join(f"# {line}" for line in repr(error).split("\\n")))
                print(f"not ok {number} {test.__doc__}", flush=True)
                failed = 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
