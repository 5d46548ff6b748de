# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    count = 0
def kernel(n):
    a = A()
    a.count = 0
    get = a.__getattribute__
    put = a.__setattr__
    del a
    for i in range(n):
        assert get("count") < 3
        put("count", get("count") + 1)
