# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = {"parity": 0}
    for i in range(n):
        state["parity"] = 1 - state["parity"]
    assert state["parity"] == n
