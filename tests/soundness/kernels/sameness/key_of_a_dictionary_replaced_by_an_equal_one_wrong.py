# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    entries = {1: 5}
    for i in range(n):
        assert str(list(entries)[0]) == '1'
        entries[True] = entries.pop(1)
