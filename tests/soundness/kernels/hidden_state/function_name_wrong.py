# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    def helper():
        return 1
    for i in range(n):
        assert helper.__name__ == "helper"
        helper.__name__ = "other"
