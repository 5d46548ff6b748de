"""What touches no element: allocation, views, loops, programs, what the host computes."""

from __future__ import annotations

from nkiverify.model.registry import host

for _name in (
    "nl.ndarray", "nl.ds", "nl.arange", "nl.affine_range", "nl.sequential_range",
    "nl.static_range", "nl.program_id", "nl.num_programs", "nl.program_ndim", "nl.is_hbm", "nl.is_sbuf", "nl.is_psum",
    "nl.is_on_chip", "nl.dynamic_range", "nl.fori_loop", "nl.while_loop", "nl.no_reorder", "nisa.get_nc_version",
    "nl.spmd_dim", "nki.alloc", "nki.mod_alloc", "nki.auto_alloc",
):  # fmt: skip
    host(_name)
