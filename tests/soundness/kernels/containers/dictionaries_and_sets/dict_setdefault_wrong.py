# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {}
    for i in range(n):
        table.setdefault("first", i)
        assert table["first"] == i
