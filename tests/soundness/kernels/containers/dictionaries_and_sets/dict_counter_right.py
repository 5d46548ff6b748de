# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    state = {"count": 0}
    for i in range(n):
        assert state["count"] == i
        state["count"] += 1
    assert state["count"] == n
