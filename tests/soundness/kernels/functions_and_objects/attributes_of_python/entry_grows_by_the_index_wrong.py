# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    box = {"count": 0}
    for i in range(n):
        box["count"] += i
        assert box["count"] >= i * i
