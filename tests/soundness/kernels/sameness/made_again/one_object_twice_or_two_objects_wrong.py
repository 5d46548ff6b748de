# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    def __init__(self):
        self.size = 0
def kernel(n):
    pairs = []
    for i in range(n):
        one = Node()
        two = Node() if i % 2 else one
        pairs.append((one, two))
    if n > 1:
        assert pairs[1][0] is pairs[1][1]
