# expect: 1 FAILED|UNKNOWN
# dims: 0..

from collections import deque
def kernel(n):
    q = deque(range(10))
    step = q.popleft
    del q
    for i in range(n):
        assert step() < 3
