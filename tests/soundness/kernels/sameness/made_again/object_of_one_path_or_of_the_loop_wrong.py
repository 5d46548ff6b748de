# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    first = Node()
    last = first
    for i in range(n):
        if i % 2:
            last = first
        else:
            last = Node()
    if n > 0:
        assert last is first
