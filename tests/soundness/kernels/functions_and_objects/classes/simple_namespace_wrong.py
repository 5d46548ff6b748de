# expect: 1 FAILED|UNKNOWN
# dims: 0..

import types

def kernel(n):
    state = types.SimpleNamespace(count=0)
    for i in range(n):
        assert state.count < 3
        state.count += 1
