# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    assert n <= 50
    nodes = []
    last = None
    for i in range(n):
        last = Node()
        last.size = i
        nodes.append(last)
    if n > 1:
        last.size = 77
        assert nodes[n - 1].size != 77
