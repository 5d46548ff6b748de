# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {}
    for i in range(n):
        table[f"tile{i}"] = i
    assert len(table) < 3
