# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    first = [1]
    last = first
    
    for i in range(n):
        assert last is first
        last = [1]
