# SPDX-License-Identifier: GPL-2.0-only
"""The frequency of the TSC."""

import ctypes
import mmap
import os
import struct

from .kvm import number

SYS_PERF_EVENT_OPEN = 298
PERF_TYPE_SOFTWARE = 1
PERF_COUNT_SW_DUMMY = 9
PERF_ATTR_SIZE_VER0 = 64
EXCLUDE_KERNEL_AND_HV = 3 << 5
CAP_USER_TIME = 1 << 3


def perf_khz():
    """
    What the kernel tells each user of perf events, for them to convert the TSC to ns by
    themselves: a multiplier and a shift. None if it does not.
    """
    attributes = struct.pack("<IIQQQQQ16x", PERF_TYPE_SOFTWARE, PERF_ATTR_SIZE_VER0,
                             PERF_COUNT_SW_DUMMY, 0, 0, 0, EXCLUDE_KERNEL_AND_HV)
    fd = ctypes.CDLL(None, use_errno=True).syscall(SYS_PERF_EVENT_OPEN, attributes, 0, -1, -1, 0)
    if fd < 0:
        return None
    try:
        with mmap.mmap(fd, mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ) as page:
            capabilities, = struct.unpack_from("<Q", page, 40)
            shift, multiplier = struct.unpack_from("<HI", page, 50)
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
    if not capabilities & CAP_USER_TIME or not multiplier:
        return None
    return round((1000000 << shift) / multiplier)


def khz(sysfs):
    """The frequency in kHz, or None if the host does not tell."""
    found = number(os.path.join(sysfs, "devices/system/cpu/cpu0/tsc_freq_khz"))
    if found or sysfs != "/sys":
        return found
    return perf_khz()


def to_ns(ticks, tsc_khz):
    """Ticks in ns, rounded up, as they are an upper bound; None stays None."""
    if ticks is None or not tsc_khz:
        return None
    return -(-ticks * 1000000 // tsc_khz)
