# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Log:
    count = 0
def kernel(n):
    Log.count = 0
    class A:
        def __del__(self):
            Log.count += 1
    a = A()
    for i in range(n):
        b = i
    a = None
    assert Log.count == 0
