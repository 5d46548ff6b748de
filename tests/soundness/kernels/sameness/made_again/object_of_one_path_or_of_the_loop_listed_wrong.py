# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    def __init__(self):
        self.size = 0
def kernel(n):
    first = Node()
    nodes = [first if i % 2 else Node() for i in range(n)]
    if n > 0:
        nodes[0].size = 5
        assert first.size == 5
