# SPDX-License-Identifier: GPL-2.0-only
"""Read what the recorder in the emulator has written: recording.log.

Lines of text, addresses and sets of bits in hexadecimal:

  ops NAME...             what the bits of a set mean, from the lowest on
  figures NAME...         what an interval's figures mean, in their order
  chain N PARENT ADDRESS  chain N of calls is PARENT and, in it, a call at ADDRESS
  recording N             from here to "end": one run of the guest's, between its marks
  code ADDRESS TEXT       the instruction there
  path N                  from here to "done": instructions, each as
    ADDRESS OPS [MSR]       with the MSR that it reads or writes
    in N                    within the calls of chain N, from here on
    spin                    the host spun here, for as long as each interval says
  interval PATH REASON DETAIL INTERRUPTED FIGURE...
                          a VM exit for REASON; DETAIL is an MSR, an I/O port, or -1
  stamp TICKS             the guest reads the TSC for its result; TICKS of the TSC have
                          passed in the guest since the recording began
  end
"""

from collections import namedtuple

# Intervals that the host spent on the same instructions in the same order share a path.
Instruction = namedtuple("Instruction", "chain address ops msr")
Interval = namedtuple("Interval", "path reason detail interrupted figures")


class Path:
    """Instructions; before the one at spin_at, if any, the host spun."""

    def __init__(self):
        self.instructions = []
        self.spin_at = None


class Recording:
    """What lies between the two markers of one row."""

    def __init__(self):
        self.paths = {}
        self.intervals = []
        # Ticks of the TSC at its begin and end, of each span that the guest measured
        self.stamps = []
        self.code = {}
        self.complete = False


class File:
    """A recording.log: its recordings, and what they have in common."""

    def __init__(self, path):
        self.recordings = []
        self.ops = []
        self.figures = []
        self.chains = {0: None}
        with open(path, encoding="utf-8") as file:
            self.read(file)

    def read(self, file):
        """Line by line; each says what it is, but for instructions on a path."""
        recording = None
        host = 0
        for line in file:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "ops":
                self.ops = rest.split()
            elif kind == "figures":
                self.figures = rest.split()
            elif kind == "chain":
                number, parent, address = rest.split()
                self.chains[int(number)] = int(parent), int(address, 16)
            elif kind == "recording":
                recording = Recording()
                host = 0
                self.recordings.append(recording)
            elif kind == "code":
                address, _, text = rest.partition(" ")
                recording.code[int(address, 16)] = text
            elif kind == "path":
                recording.paths[int(rest)] = self.read_path(file)
            elif kind == "interval":
                path, reason, detail, interrupted, *figures = map(int, rest.split())
                figures = dict(zip(self.figures, figures))
                # Each instruction is a tick; most string instructions are several.
                host += len(recording.paths[path].instructions)
                host += figures["spin"] + figures.pop("more_ticks")
                recording.intervals.append(Interval(
                    path, reason, detail, bool(interrupted), figures))
            elif kind == "stamp":
                recording.stamps.append(host + int(rest))
            elif kind == "end":
                recording.complete = True
            else:
                raise ValueError(f"{line!r} in a recording")

    @staticmethod
    def read_path(file):
        """Up to "done"."""
        path = Path()
        chain = 0
        for line in file:
            words = line.split()
            if words[0] == "done":
                return path
            if words[0] == "spin":
                path.spin_at = len(path.instructions)
            elif words[0] == "in":
                chain = int(words[1])
            else:
                msr = int(words[2], 16) if len(words) == 3 else None
                path.instructions.append(Instruction(
                    chain, int(words[0], 16), int(words[1], 16), msr))
        raise ValueError("a path that does not end")

    def calls(self, chain):
        """The addresses of the calls that a chain consists of, outermost first."""
        addresses = []
        while chain:
            chain, address = self.chains[chain]
            addresses.append(address)
        return addresses[::-1]
