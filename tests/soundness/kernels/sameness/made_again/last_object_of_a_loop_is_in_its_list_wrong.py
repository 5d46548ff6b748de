# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    nodes = []
    last = None
    for i in range(n):
        last = Node()
        last.size = i
        nodes.append(last)
    if n > 1:
        assert last is not nodes[n - 1]
