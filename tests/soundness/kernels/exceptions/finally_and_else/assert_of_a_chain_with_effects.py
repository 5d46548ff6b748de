# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    calls = []
    def middle():
        calls.append(1)
        return n
    assert -1 < middle() < n + 1
    assert len(calls) == 1
