# expect: 1 FAILED|UNKNOWN
# dims: 0..

import threading

local = threading.local()

def kernel(n):
    local.count = 0
    for i in range(n):
        assert local.count < 3
        local.count += 1
