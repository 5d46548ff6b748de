"""Controls of contracts about statistics, searches and sorting."""

import nki.isa as nisa
import nki.language as nl


def bn_stats__f512__right():
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst, data)


def bn_stats__f512__wrong():
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 513), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst, data)


def bn_stats__dst6__right():
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst, data)


def bn_stats__dst6__wrong():
    dst = nl.ndarray((2, 7), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst, data)


def bn_aggr__mod3__right():
    dst = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst, data)


def bn_aggr__mod3__wrong():
    dst = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 7), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst, data)


def bn_aggr__dst2__right():
    dst = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst, data)


def bn_aggr__dst2__wrong():
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst, data)


def max8__n__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__n__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 7), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__rank__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 4, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__rank__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 2, 2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__dst__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__dst__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def find8__n__right():
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__n__wrong():
    data = nl.ndarray((2, 7), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__rank__right():
    vals = nl.ndarray((2, 2, 4), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__rank__wrong():
    vals = nl.ndarray((2, 2, 2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__vals__right():
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__vals__wrong():
    vals = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__dst__right():
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__dst__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.uint32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__dst_dtype__right():
    dst = nl.ndarray((2, 8), dtype=nl.uint16, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__dst_dtype__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.int32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def match8__n__right():
    dst = nl.ndarray((2, 16384), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 16384), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__n__wrong():
    dst = nl.ndarray((2, 16385), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 16385), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__vals__right():
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__vals__wrong():
    vals = nl.ndarray((2, 7), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__shape__right():
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__shape__wrong():
    dst = nl.ndarray((2, 63), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__imm__right():
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__imm__wrong():
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=None)


def match8__dst_idx__right():
    dst_idx = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0, dst_idx=dst_idx)


def match8__dst_idx__wrong():
    dst_idx = nl.ndarray((2, 9), dtype=nl.uint32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)
    vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0, dst_idx=dst_idx)


def tpr__op__right():
    dst = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst, nl.average, data)


def tpr__op__wrong():
    dst = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst, nl.multiply, data)


def tpr__sbuf__right():
    dst = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst, nl.add, data)


def tpr__sbuf__wrong():
    dst = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_partition_reduce(dst, nl.add, data)


def tpr__shape__right():
    dst = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst, nl.add, data)


def tpr__shape__wrong():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst, nl.add, data)


def seqb__sbuf__right():
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)
    segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__sbuf__wrong():
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.psum)
    segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__p1__right():
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)
    segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__p1__wrong():
    segment_ids = nl.ndarray((2, 8), dtype=nl.int32, buffer=nl.sbuf)
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__dtype__right():
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)
    segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__dtype__wrong():
    segment_ids = nl.ndarray((1, 8), dtype=nl.uint32, buffer=nl.sbuf)
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__dst__right():
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)
    segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__dst__wrong():
    dst = nl.ndarray((1, 2, 9), dtype=nl.int32, buffer=nl.sbuf)
    segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def topk__sbuf__right():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__sbuf__wrong():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.psum)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__dtypes__right():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__dtypes__wrong():
    src = nl.ndarray((16, 2), dtype=nl.float32, buffer=nl.sbuf)
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__shape__right():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__shape__wrong():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=33)


def topk__dst__right():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__dst__wrong():
    idx_dst = nl.ndarray((16, 5), dtype=nl.uint32, buffer=nl.sbuf)
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__n__right():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=8)


def topk__n__wrong():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=7)


def nzc__gen3__right():
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__gen3__wrong():
    """On trn1."""
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__sbuf__right():
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__sbuf__wrong():
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__dtypes__right():
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__dtypes__wrong():
    src = nl.ndarray((16, 8), dtype=nl.uint32, buffer=nl.sbuf)
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__shape__right():
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__shape__wrong():
    dst = nl.ndarray((16, 8), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__constants__right():
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src, padding_val=0)


def nzc__constants__wrong():
    dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src, padding_val=None)
