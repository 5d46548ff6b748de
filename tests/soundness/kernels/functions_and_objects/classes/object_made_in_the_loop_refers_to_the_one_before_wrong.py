# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    def __init__(self, before, depth):
        self.before = before
        self.depth = depth

def kernel(n):
    node = None
    for i in range(n):
        node = Node(node, i)
    length = 0
    while node is not None:
        length += 1
        node = node.before
    assert length < 3
