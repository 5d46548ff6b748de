# expect: 1 FAILED|UNKNOWN
# dims: 0..

def note(i, table={"count": 0}):
    table["count"] += 1
    return table["count"]

def kernel(n):
    for i in range(n):
        assert note(i) < 3
