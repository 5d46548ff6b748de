# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::nki_tensor_add_kernel --arg a_input=f32[128*r,512*c] --arg b_input=f32[128*r,512*c] --arg c_output=f32[128*r,512*c] --grid r,c
"""Tensor addition of the first release: SPMD grid, outputs as arguments, launched through torch."""
import neuronxcc.nki.language as nl


def nki_tensor_add_kernel(a_input, b_input, c_output):
    """
    a_input, b_input: [M, N] in HBM; c_output: [M, N], written.
    """
    offset_i_x = nl.program_id(0) * 128
    offset_i_y = nl.program_id(1) * 512
    ix = offset_i_x + nl.arange(128)[:, None]
    iy = offset_i_y + nl.arange(512)[None, :]
    a_tile = nl.load(a_input[ix, iy])
    b_tile = nl.load(b_input[ix, iy])
    c_tile = a_tile + b_tile
    nl.store(c_output[ix, iy], value=c_tile)


def nki_tensor_add(a_input, b_input):
    import torch
    from torch_neuronx import nki_jit
    grid_x = a_input.shape[0] // 128
    grid_y = a_input.shape[1] // 512
    c_output = torch.zeros(a_input.shape, dtype=a_input.dtype).to(device=a_input.device)
    nki_jit(nki_tensor_add_kernel)[grid_x, grid_y](a_input, b_input, c_output)
    return c_output
