# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::copy --arg 'x=f32[P:1..128,F:1..2048]' --target trn3
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

SIZES = {nisa.nc_version.gen2: 1, nisa.nc_version.gen3: 2}


@nki.jit
def copy(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    version = nisa.get_nc_version()
    assert version > nisa.nc_version.gen3 and not version == nisa.nc_version.gen2
    assert version.name == "gen4" and SIZES.get(version, 4) == 4
    nl.store(out, nl.load(x))
    return out
