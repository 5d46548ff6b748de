# expect: 4 FAILED|UNKNOWN
# args: ::kv_update --arg 'cache=bf16[128*n,128]' --arg new=bf16[128,128] --arg 'slot=i32[128,1] in 0..128*n-1'
"""The first block of the cache is copied to all, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def kv_update(cache, new, slot):
    out = nl.ndarray(cache.shape, dtype=cache.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(cache.shape[0] // 128):
        nl.store(out[0:128], nl.load(cache[i * 128:(i + 1) * 128]))
    s = nl.load(slot)
    i_p = nl.arange(128)[:, None]
    i_f = nl.arange(128)[None, :]
    nl.store(out[s[i_p, 0], i_f], nl.load(new))
    return out
