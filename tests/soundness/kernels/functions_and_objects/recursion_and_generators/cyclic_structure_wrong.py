# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    def __init__(self):
        self.next = self
        self.count = 0

def kernel(n):
    node = Node()
    for i in range(n):
        node.next.next.count += 1
    assert node.count < 3
