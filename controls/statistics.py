"""Controls of contracts about statistics, searches and sorting."""

import nki.isa as nisa
import nki.language as nl


def bn_stats__f512():
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, either(right=512, wrong=513)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst, data)


def bn_stats__dst6():
    dst = nl.ndarray((2, either(right=6, wrong=7)), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(dst, data)


def bn_aggr__mod3():
    dst = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, either(right=6, wrong=7)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst, data)


def bn_aggr__dst2():
    dst = nl.ndarray((2, either(right=2, wrong=3)), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst, data)


dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


def max8__n():
    src = nl.ndarray((2, either(right=8, wrong=7)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__rank():
    src = nl.ndarray(either(right=(2, 4, 4), wrong=(2, 2, 2, 4)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


def max8__dst():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(dst, src)


dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
vals = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
data = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)


def find8__n():
    data = nl.ndarray((2, either(right=8, wrong=7)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__rank():
    vals = nl.ndarray(either(right=(2, 2, 4), wrong=(2, 2, 2, 2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__vals():
    vals = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__dst():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


def find8__dst_dtype():
    dst = nl.ndarray((2, 8), dtype=either(right=nl.uint16, wrong=nl.int32), buffer=nl.sbuf)
    nisa.nc_find_index8(dst=dst, data=data, vals=vals)


dst = nl.ndarray((2, 64), dtype=nl.float32, buffer=nl.sbuf)


def match8__n():
    dst = nl.ndarray((2, either(right=16384, wrong=16385)), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, either(right=16384, wrong=16385)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__vals():
    vals = nl.ndarray((2, either(right=8, wrong=7)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__shape():
    dst = nl.ndarray((2, either(right=64, wrong=63)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0)


def match8__imm():
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=either(right=0.0, wrong=None))


def match8__dst_idx():
    dst_idx = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.nc_match_replace8(dst=dst, data=data, vals=vals, imm=0.0, dst_idx=dst_idx)


dst = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
data = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)


def tpr__op():
    nisa.tensor_partition_reduce(dst, either(right=nl.average, wrong=nl.multiply), data)


def tpr__sbuf():
    data = nl.ndarray((8, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.tensor_partition_reduce(dst, nl.add, data)


def tpr__shape():
    dst = nl.ndarray((either(right=1, wrong=2), 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(dst, nl.add, data)


segment_ids = nl.ndarray((1, 8), dtype=nl.int32, buffer=nl.sbuf)
dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=nl.sbuf)


def seqb__sbuf():
    dst = nl.ndarray((1, 2, 8), dtype=nl.int32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__p1():
    segment_ids = nl.ndarray((either(right=1, wrong=2), 8), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__dtype():
    segment_ids = nl.ndarray((1, 8), dtype=either(right=nl.int32, wrong=nl.uint32), buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


def seqb__dst():
    dst = nl.ndarray((1, 2, either(right=8, wrong=9)), dtype=nl.int32, buffer=nl.sbuf)
    nisa.sequence_bounds(dst=dst, segment_ids=segment_ids)


idx_dst = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)
src = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)
val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)


def topk__sbuf():
    val_dst = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__dtypes():
    src = nl.ndarray((16, 2), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__shape():
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=either(right=32, wrong=33))


def topk__dst():
    idx_dst = nl.ndarray((16, either(right=4, wrong=5)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=32)


def topk__n():
    nisa.topk(val_dst=val_dst, idx_dst=idx_dst, src=src, n=either(right=8, wrong=7))


dst = nl.ndarray((16, 9), dtype=nl.int32, buffer=nl.sbuf)
src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)


@control(on=either(right="trn2", wrong="trn1"))
def nzc__gen3():
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__sbuf():
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__dtypes():
    src = nl.ndarray((16, 8), dtype=either(right=nl.float32, wrong=nl.uint32), buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__shape():
    dst = nl.ndarray((16, either(right=9, wrong=8)), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=dst, src=src)


def nzc__constants():
    nisa.nonzero_with_count(dst=dst, src=src, padding_val=either(right=0, wrong=None))
