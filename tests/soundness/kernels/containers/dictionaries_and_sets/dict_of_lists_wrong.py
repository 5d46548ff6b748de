# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {"a": [], "b": []}
    for i in range(n):
        table["a"].append(i)
    assert len(table["a"]) < 3
