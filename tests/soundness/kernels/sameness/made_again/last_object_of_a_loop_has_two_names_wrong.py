# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    one = two = None
    for i in range(n):
        one = two = Node()
        one.size = i
    if n > 1:
        one.size = n + 5
        assert two.size == n - 1
