# expect: 1 FAILED|UNKNOWN
# dims: 0..

import heapq

def kernel(n):
    heap = [1, 2, 3]
    for i in range(n):
        assert heap[0] == 1
        heapq.heapreplace(heap, heap[0] + 1)
