# expect: 1 FAILED|UNKNOWN
# dims: 0..

import types
def kernel(n):
    m = types.ModuleType("m")
    seen = []
    m.__getattr__ = lambda name: seen.append(name) or len(seen)
    for i in range(n):
        assert m.x < 4
