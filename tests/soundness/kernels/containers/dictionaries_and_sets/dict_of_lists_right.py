# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    table = {"a": [], "b": []}
    for i in range(n):
        table["a"].append(i)
    assert len(table["a"]) == n
    assert len(table["b"]) == 0
