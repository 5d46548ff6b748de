"""Statistics, maxima, searches over the elements of each partition."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("bn_stats.f512", "bn_stats takes at most 512 elements per partition.", "bn_stats")
define(
    "bn_stats.dst6", "dst of bn_stats has 6 elements per partition, and the partitions of data.", "bn_stats", api=NKI
)
define("bn_aggr.mod3", "bn_aggr takes triples: elements per partition are a multiple of 3.", "bn_aggr")
define("bn_aggr.dst2", "dst of bn_aggr has 2 elements per partition, and the partitions of data.", "bn_aggr", api=NKI)
define("max8.n", "max8 takes 8 to 16384 elements per partition.", "max8")
define("max8.rank", "src of max8 has at most 3 dimensions (legacy: 5).", "max8; L:max8")
define("max8.dst", "dst of max8 is (P, 8).", "max8", api=NKI)
define("find8.n", "nc_find_index8 searches 8 to 16384 elements per partition.", "nc_find_index8")
define("find8.rank", "data and vals of nc_find_index8 have at most 3 dimensions (legacy: 5).", "nc_find_index8")
define("find8.vals", "vals of nc_find_index8 has 8 elements per partition.", "nc_find_index8")
define("find8.dst", "dst of nc_find_index8 is (P, 8).", "nc_find_index8", api=NKI)
define("find8.dst_dtype", "dst of nc_find_index8 is uint16 or uint32.", "nc_find_index8", api=NKI)
define("match8.n", "nc_match_replace8 searches at most 16384 elements per partition.", "L:nc_match_replace8")
define("match8.vals", "vals of nc_match_replace8 has 8 elements per partition.", "nc_match_replace8")
define("match8.shape", "dst has the partitions and elements per partition of data.", "nc_match_replace8", api=NKI)
define("match8.imm", "imm of nc_match_replace8 is a constant.", "nc_match_replace8")
define("match8.dst_idx", "dst_idx of nc_match_replace8 is (P, 8).", "nc_match_replace8")
define(
    "tpr.op",
    "op of tensor_partition_reduce is add, average, max, bitwise_or or bitwise_and.",
    "tensor_partition_reduce",
)
define("tpr.sbuf", "tensor_partition_reduce runs on GpSimd: its operands are in SBUF.", "tensor_partition_reduce; A2")
define(
    "tpr.shape",
    "dst of tensor_partition_reduce has one partition and the elements per partition of data.",
    "tensor_partition_reduce (implied)",
    api=NKI,
)
define("seqb.sbuf", "sequence_bounds runs on GpSimd: its operands are in SBUF.", "sequence_bounds; A2")
define("seqb.p1", "segment_ids has one partition.", "sequence_bounds")
define("seqb.dtype", "segment_ids and dst are float32 or int32.", "sequence_bounds")
define("seqb.dst", "dst of sequence_bounds is (1, 2, N).", "sequence_bounds", api=NKI)
define("topk.sbuf", "The operands of topk are in SBUF.", "topk", api=NKI)
define("topk.dtypes", "src and val_dst of topk are bfloat16, idx_dst is uint32.", "topk", api=NKI)
define(
    "topk.shape",
    "src of topk has a multiple of 16 partitions and at least ceil(n / 16) elements in each.",
    "topk",
    api=NKI,
)
define("topk.dst", "val_dst and idx_dst of topk are (P, k).", "topk", api=NKI)
define("topk.n", "topk takes 8 <= n < 65536 and 1 <= k < 32768 with k <= n.", "topk", api=NKI)
define("nzc.gen3", "nonzero_with_count needs gen3 or later.", "nonzero_with_count", api=NKI, hardware=("gen2",))
define("nzc.sbuf", "The operands of nonzero_with_count are in SBUF.", "nonzero_with_count", api=NKI)
define("nzc.dtypes", "src is float32 or int32, dst int32.", "nonzero_with_count", api=NKI)
define("nzc.shape", "dst has the partitions of src and one element more in each.", "nonzero_with_count", api=NKI)
define("nzc.constants", "index_offset and padding_val are constants.", "nonzero_with_count", api=NKI)
