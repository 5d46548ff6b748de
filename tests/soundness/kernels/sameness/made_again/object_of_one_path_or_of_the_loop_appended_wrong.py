# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    first = Node()
    nodes = []
    for i in range(n):
        if i % 2:
            nodes.append(first)
        else:
            nodes.append(Node())
    if n > 1:
        assert nodes[0] is first
