# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import queue
held = queue.Queue()

def kernel(n):
    for i in range(n):
        assert held.qsize() == 0
        held.put(1)
