# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {"a": 0, "b": 1, "c": 2}
    for i in range(min(n, 3)):
        table.popitem()
    assert "b" in table
