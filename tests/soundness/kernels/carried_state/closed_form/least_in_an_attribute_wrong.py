# expect: 1 FAILED
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


def kernel(n):
    usage = Usage()
    for i in range((n + 127) // 128):
        usage.add(min(128, n - i * 128))
    assert usage.least > 3
