# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Table(dict):
    pass

def kernel(n):
    table = Table(count=0)
    for i in range(n):
        table["count"] += 1
    assert table["count"] < 3
