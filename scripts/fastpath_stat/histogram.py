# SPDX-License-Identifier: GPL-2.0-only
"""The log2 histograms of the fast path, and their percentiles."""


class Histogram:
    """Counts by bucket. A bucket reaches from its smallest value to the next one's."""

    def __init__(self, lows, counts):
        self.lows = lows
        self.counts = counts

    @classmethod
    def parse(cls, text):
        """Lines of "smallest-value count", as the kernel prints them."""
        rows = [tuple(map(int, line.split())) for line in text.splitlines()]
        if not rows or any(len(row) != 2 for row in rows):
            raise ValueError("not a histogram")
        return cls([low for low, _ in rows], [count for _, count in rows])

    def since(self, before):
        """What was counted after "before", which has the same buckets."""
        return Histogram(self.lows, [now - then for now, then
                                     in zip(self.counts, before.counts)])

    @property
    def total(self):
        """How many values were counted."""
        return sum(self.counts)

    @property
    def overflow(self):
        """How many of them are in the last bucket, which has no upper bound."""
        return self.counts[-1]

    def bound(self, index):
        """The largest value of a bucket; None for the last one."""
        if index == len(self.lows) - 1:
            return None
        return self.lows[index + 1] - 1

    def percentile(self, percent):
        """
        The bound of the bucket in which this share of all values, none of them left out,
        is reached. None if that is the last bucket, or if there are no values.
        """
        rank = max(1, -(-self.total * percent // 100))
        reached = 0
        for index, count in enumerate(self.counts):
            reached += count
            if reached >= rank:
                return self.bound(index)
        return None

    def summary(self):
        """The percentiles that are shown."""
        return {"p50": self.percentile(50), "p99": self.percentile(99),
                "max": self.percentile(100)}
