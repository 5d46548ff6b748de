# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import nki.language as nl

class Usage:
    def __init__(self):
        self.most = 0
        self.least = 128

    def add(self, size):
        if size > self.most:
            self.most = size
        if size < self.least:
            self.least = size


def kernel(n, m):
    tensor = nl.ndarray((128, n + m + 1), dtype=nl.float32, buffer=nl.hbm)
    usage = Usage()
    for i in range((n + 127) // 128):
        usage.add(min(128, n - i * 128))
        for j in range((m + 63) // 64):
            usage.add(min(64, m - j * 64))
    part = tensor[0:128, 0:usage.most + 1]
