# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {"a": 0, "b": 1}
    for i in range(n):
        table["a"] = table.pop("a")
    assert list(table)[0] == "a"
