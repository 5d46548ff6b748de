# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Log:
    count = 0
class A:
    def __del__(self):
        Log.count += 1
def kernel(n):
    Log.count = 0
    a = A()
    for i in range(n):
        a = A()
        assert Log.count < 3
