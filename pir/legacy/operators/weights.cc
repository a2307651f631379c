// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that are computed before they are used: normalised, or stored as integers.
#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

// A weight divided by its largest singular value, as the iteration from u and v finds it (Miyato et
// al. 2018).
void spectral_norm(OpTranslation& op) {
  const Term weight = Term::in(op, "Weight");
  const int64_t dim = op.integer("dim", 0);
  const double epsilon = op.number("eps", 1e-12);
  if (dim < 0 || dim >= weight.rank()) op.fail(str("dim is ", dim));
  Ints order{dim};
  for (int64_t k = 0; k < weight.rank(); ++k) {
    if (k != dim) order.push_back(k);
  }
  const Term matrix = weight.transpose(order).reshape({0, -1});
  const auto column = [&](const char* slot) { return Term::in(op, slot).reshape({-1, 1}); };
  Term u = column("U"), v = column("V");
  const auto unit = [&](const Term& x) { return x / ((x * x).sum({}).make("sqrt") + epsilon); };
  for (int64_t k = 0; k < op.integer("power_iters", 1); ++k) {
    v = unit(matrix.matmul(u, true));
    u = unit(matrix.matmul(v));
  }
  op.set("Out", weight / (u * matrix.matmul(v)).sum({}));
}

// -- integer codes ------------------------------------------------------------------------------

constexpr int64_t kTile = 64;  // rows that lie side by side in the layout of tensor cores

// The codes [N, K] behind int8 memory in the layout of a GPU generation: columns interleaved by
// tiles, groups of eight rows by lanes.
Term unpacked(OpTranslation& op, const Term& packed, int64_t bits) {
  const int64_t arch = op.integer("arch", 80);
  const int64_t k = packed.known_extent(1), n = packed.known_extent(0) * 8 / bits;
  const int64_t columns = bits == 8 ? 2 : 4;
  if (k % kTile || n % columns) op.fail(str("a weight of ", k, " x ", n, " has no tiles"));
  Term codes = packed.reshape(Ints{-1}).cast(DType::kInt32);
  if (bits == 8) {
    codes = codes.with("bitwise_xor", codes.number(-128));
  } else {
    const Term low = codes.with("bitwise_and", codes.number(15));
    const Term high =
        (codes - low).with("floor_divide", codes.number(16)).with("bitwise_and", codes.number(15));
    codes = Term::concat({low.unsqueeze(-1), high.unsqueeze(-1)}, 1) - 8;
  }
  if (arch == 70) {
    return codes.reshape({-1, 2, columns}).transpose({0, 2, 1}).reshape({k, n}).transpose({1, 0});
  }
  codes = codes.reshape({n / columns, k / kTile, columns, kTile}).transpose({0, 2, 1, 3});
  codes = codes.reshape({n, k / (8 * columns), 8, columns}).transpose({0, 1, 3, 2});
  return codes.reshape({n, k});
}

// The weight [K, N] in `dtype`. Scales are one a column, or one a column and group of rows.
Term weight_of(OpTranslation& op, const Term& packed, const Term& scales, const std::string& kind,
               DType dtype) {
  const bool plain = kind == "llm.int8";
  if (!plain && !kind.ends_with("int8") && !kind.ends_with("int4"))
    op.unsupported(str("its codes are ", kind));
  const Term codes =
      plain ? packed.cast(DType::kInt32) : unpacked(op, packed, kind.ends_with("int8") ? 8 : 4);
  Term steps = scales.cast(DType::kFloat32);
  if (steps.rank() == 2) {
    const int64_t k = packed.known_extent(1), group = op.integer("group_size", kTile);
    if (group < 1) op.fail(str("group_size is ", group));
    steps = steps.make("repeat_interleave", {{"repeats", group}, {"axis", int64_t{0}}})
                .part(0, 0, k)
                .transpose({1, 0});
  } else {
    steps = steps.unsqueeze(-1);
  }
  return (codes.cast(DType::kFloat32) * steps).transpose({1, 0}).cast(dtype);
}

void weight_dequantize(OpTranslation& op) {
  const Term scales = Term::in(op, "scale");
  const DType dtype = scales.dtype() == DType::kFloat32 ? DType::kFloat16 : scales.dtype();
  op.set("out", weight_of(op, Term::in(op, "x"), scales, op.text("algo", "weight_only_int8"),
                          op.dtype("out_dtype", dtype)));
}

Term with_bias(OpTranslation& op, const Term& out) {
  Value* bias = op.in_or_null("bias");
  return bias ? out + Term(op, bias).cast(out.dtype()) : out;
}

void weight_only_linear(OpTranslation& op) {
  const Term x = Term::in(op, "x");
  const Term weight = weight_of(op, Term::in(op, "weight"), Term::in(op, "weight_scale"),
                                op.text("weight_dtype", "int8"), x.dtype());
  op.set("out", with_bias(op, x.matmul(weight)));
}

// Columns of x with a magnitude above the threshold stay as they are, the others are int8 by the
// largest of each row (Dettmers et al. 2022).
void llm_int8_linear(OpTranslation& op) {
  const Term x = Term::in(op, "x"), wide = x.cast(DType::kFloat32);
  const Term codes = Term::in(op, "weight").cast(DType::kFloat32),
             scales = Term::in(op, "weight_scale");
  Ints rows;
  for (int64_t k = 0; k + 1 < x.rank(); ++k) rows.push_back(k);
  const Term size = wide.make("abs");
  const Term outlier = size.make("max", {{"axis", rows}}) > size.number(op.number("threshold", 6));
  const Term kept = outlier.where(wide.like(0), wide);
  const Term largest = kept.make("abs").make("max", {{"axis", Ints{-1}}, {"keepdim", true}});
  const Term none = largest.with("equal", largest.number(0));
  const Term unit = none.where(largest.like(1), largest) * (1.0 / 127);
  const Term rounded = (kept / unit).make("round");
  const Term exact = (wide - kept).matmul(codes, false, true);
  const Term out =
      (rounded.matmul(codes, false, true) * unit + exact) * scales.cast(DType::kFloat32);
  op.set("out", with_bias(op, out.cast(x.dtype())));
}

// x * scale of each channel, which smooths its outliers.
void apply_per_channel_scale(OpTranslation& op) {
  const Term x = Term::in(op, "x");
  op.set("out", x * Term::in(op, "scales").cast(x.dtype()));
}

// code * scale / range
void dequantize_abs_max(OpTranslation& op) {
  const Term scale = Term::in(op, "Scale");
  op.set("Out", Term::in(op, "X").cast(scale.dtype()) * (scale * (1 / op.number("max_range", 1))));
}

// The entry of a table of 128 by the low bits, negative for negative codes.
void dequantize_log(OpTranslation& op) {
  const Term x = Term::in(op, "X").cast(DType::kInt64),
             table = Term::in(op, "Dict").reshape({-1, 1});
  const Term negative = x < x.number(0);
  const Term index = negative.where(x + 128, x);
  const Term found = index.make("embedding", {{"weight", table.value()}}).squeeze(x.rank());
  op.set("Out", negative.where(found * -1, found));
}

}  // namespace

void add_weights_translations(TranslationTable& table) {
  table.add("spectral_norm", spectral_norm);
  table.add("weight_dequantize", weight_dequantize);
  table.add("weight_only_linear", weight_only_linear);
  table.add("llm_int8_linear", llm_int8_linear);
  table.add("apply_per_channel_scale", apply_per_channel_scale);
  table.add("dequantize_abs_max", dequantize_abs_max);
  table.add("dequantize_log", dequantize_log);
}

}  // namespace paddle::pir
