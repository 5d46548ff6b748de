"""Layer norm with a mask for the rows, gamma and beta broadcast, as tutorials write it."""

# legal: cols == g0, cols == b0

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def nki_layernorm_kernel_v1(input_tensor, epsilon, gamma_vector, beta_vector):
    """Layer normalisation over the last axis; gamma_vector: [g0], beta_vector: [b0]."""
    rows, cols = input_tensor.shape
    output_tensor = nl.ndarray(input_tensor.shape, dtype=input_tensor.dtype, buffer=nl.shared_hbm)
    i_p_io = nl.arange(nl.tile_size.pmax)[:, None]
    i_f_io = nl.arange(cols)[None, :]
    i_p_param = nl.arange(1)[:, None]
    gamma_sb = nl.load(gamma_vector.reshape((1, gamma_vector.shape[0]))[i_p_param, i_f_io])
    beta_sb = nl.load(beta_vector.reshape((1, beta_vector.shape[0]))[i_p_param, i_f_io])
    gamma_bcast = gamma_sb.broadcast_to((nl.tile_size.pmax, cols))
    beta_bcast = beta_sb.broadcast_to((nl.tile_size.pmax, cols))
    # bug: for i in nl.affine_range(rows // nl.tile_size.pmax):
    for i in nl.affine_range(math.ceil(rows / nl.tile_size.pmax)):
        x = nl.load(input_tensor[i * nl.tile_size.pmax + i_p_io, i_f_io], mask=(i * nl.tile_size.pmax + i_p_io < rows))
        mean = nl.mean(x, axis=1)
        centred = nl.subtract(x, mean)
        var = nl.mean(nl.square(centred), axis=1)
        scaled = nl.multiply(centred, nl.rsqrt(var + epsilon))
        scaled = nl.add(nl.multiply(scaled, gamma_bcast), beta_bcast)
        nl.store(  # here
            output_tensor[i * nl.tile_size.pmax + i_p_io, i_f_io],
            value=scaled,
            mask=(i * nl.tile_size.pmax + i_p_io < rows),
        )
    return output_tensor
