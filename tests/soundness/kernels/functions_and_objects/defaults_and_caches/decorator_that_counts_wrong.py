# expect: 1 FAILED|UNKNOWN
# dims: 0..

def counted(function):
    def wrapper(*arguments):
        wrapper.calls += 1
        return function(*arguments)
    wrapper.calls = 0
    return wrapper

@counted
def double(i):
    return 2 * i

def kernel(n):
    for i in range(n):
        double(i)
    assert double.calls < 3
