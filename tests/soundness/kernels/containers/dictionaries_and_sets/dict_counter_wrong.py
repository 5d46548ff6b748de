# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = {"count": 0}
    for i in range(n):
        assert state["count"] < 3
        state["count"] += 1
