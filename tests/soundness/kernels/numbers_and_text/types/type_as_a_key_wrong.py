# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    names = {int: "int", float: "float"}
    assert names.get(type(n)) != "int"
