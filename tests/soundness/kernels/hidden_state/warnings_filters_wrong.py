# expect: 1 FAILED|UNKNOWN
# dims: 0..

import warnings
def kernel(n):
    warnings.resetwarnings()
    for i in range(n):
        assert len(warnings.filters) < 3
        warnings.simplefilter("ignore", append=True)
        warnings.filters.append(1)
