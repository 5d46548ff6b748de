# expect: 1 FAILED|UNKNOWN
# dims: 0..

import json, sys, types
def kernel(n):
    for i in range(n):
        count = getattr(sys.modules["json"], "trap_count", 0)
        assert count < 3
        sys.modules["json"] = types.ModuleType("json")
        sys.modules["json"].trap_count = count + 1
