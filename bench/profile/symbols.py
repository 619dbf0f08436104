# SPDX-License-Identifier: GPL-2.0-only
"""Names for what the recorder gives in numbers: functions, MSRs, exit reasons."""

import bisect
import lzma
import re
import struct

KERNEL = "kernel"

STT_FUNC = 2
SHT_SYMTAB = 2


class Symbols:
    """Functions by address."""

    def __init__(self):
        self.names = {}
        self.addresses = []

    def add(self, address, function, module):
        """Of several names for one place take the plainest."""
        old = self.names.get(address)
        if old is None or (len(function), function) < (len(old[0]), old[0]):
            self.names[address] = function, module

    def find(self, address):
        """(start, function, module) of the function that holds address."""
        if len(self.addresses) != len(self.names):
            self.addresses = sorted(self.names)
        index = bisect.bisect_right(self.addresses, address)
        if not index:
            return address, f"{address:#x}", "unknown"
        start = self.addresses[index - 1]
        return (start, *self.names[start])

    def copy(self):
        """A copy to add to."""
        new = Symbols()
        new.names = dict(self.names)
        return new

    def add_kernel(self, path):
        """The kernel's own functions, from what the machine has in /proc/kallsyms."""
        with open(path, encoding="utf-8") as file:
            for line in file:
                address, kind, function, *module = line.split()
                if kind in "tTwW" and not module:
                    self.add(int(address, 16), function, KERNEL)

    def add_module(self, path, module, sections):
        """The functions in a module's file, whose sections are at sections[name]."""
        for section, value, function in elf_functions(read_object(path)):
            if section in sections:
                self.add(sections[section] + value, function, module)


def read_object(path):
    """The content of an object file, which may be packed."""
    with (lzma.open if str(path).endswith(".xz") else open)(path, "rb") as file:
        return file.read()


def string_at(table, offset):
    """The string at an offset in a string table."""
    return table[offset:table.index(b"\0", offset)].decode()


def elf_functions(data):
    """(section, offset in it, name) of each function of a relocatable ELF file.

    Labels within a function are none, where /proc/kallsyms has them all the same."""
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, number, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size)
               for i in range(number)]

    def content(header):
        return data[header[4]:header[4] + header[5]]

    strings = content(headers[names])
    sections = [string_at(strings, header[0]) for header in headers]
    for header in headers:
        if header[1] != SHT_SYMTAB:
            continue
        strings = content(headers[header[6]])
        for name, info, _, section, value, _ in struct.iter_unpack("<IBBHQQ", content(header)):
            if info & 0xf == STT_FUNC and section < number:
                yield sections[section], value, string_at(strings, name)


def read_defines(path, pattern):
    """{number: name} of the macros in a header that match: the first of each number."""
    names = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(rf"#define\s+{pattern}\s+(0x[0-9a-fA-F]+|\d+)(\s|$)", line)
            if match:
                names.setdefault(int(match[2], 0), match[1])
    return names


class Names:
    """What the kernel's headers, in its source, call numbers."""

    def __init__(self, source):
        self.msrs = read_defines(f"{source}/tools/arch/x86/include/asm/msr-index.h", r"MSR_(\w+)")
        self.reasons = read_defines(f"{source}/arch/x86/include/uapi/asm/vmx.h", r"EXIT_REASON_(\w+)")

    def msr(self, number):
        """The MSR's name."""
        return self.msrs.get(number, f"{number:#x}")

    def reason(self, number):
        """The exit reason's name."""
        return self.reasons.get(number, str(number))

    def detail(self, reason, detail):
        """What an exit was about, beside its reason."""
        if detail < 0:
            return ""
        return self.msr(detail) if self.reason(reason).startswith("MSR_") else f"{detail:#x}"
