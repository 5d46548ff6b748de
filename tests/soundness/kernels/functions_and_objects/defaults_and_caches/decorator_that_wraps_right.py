# expect: 1 SUCCESSFUL
# dims: 0..

import functools

def add_one(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments) + 1
    return wrapper

@add_one
def double(i):
    return 2 * i

def kernel(n):
    for i in range(n):
        assert double(i) == 2 * i + 1
