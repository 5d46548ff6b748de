# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import queue
held = queue.Queue()

def kernel(n):
    before = held.qsize()
    for i in range(n):
        held.put(1)
        if i > 2: break
    assert before == 1
