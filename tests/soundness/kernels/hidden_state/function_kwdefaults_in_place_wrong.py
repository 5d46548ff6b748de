# expect: 1 FAILED|UNKNOWN
# dims: 0..

def helper(*, count=0):
    return count
def kernel(n):
    helper.__kwdefaults__["count"] = 0
    for i in range(n):
        assert helper() < 3
        helper.__kwdefaults__["count"] += 1
