# expect: 1 FAILED|UNKNOWN
# dims: 0..

def take(**options):
    return options.get("a3", 0)

def kernel(n):
    assert take(**{f"a{n}": 1}) == 0
