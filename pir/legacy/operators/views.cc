// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Views, tests of elements, and operators of one process among several, as compositions.
#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

// Whether any element is so: of the first operators, one truth for the whole tensor.
void any_of(OpTranslation& op) {
  const Term found = Term::in(op, "X").make(op.type() == "isfinite" ? "isfinite" : op.type());
  op.set("Out", found.make(op.type() == "isfinite" ? "all" : "any").reshape({1}));
}

void reshaped(OpTranslation& op) {
  op.set("out", Term::in(op, "input").reshape(op.integers("dims")));
}

void strided(OpTranslation& op) {
  op.set("out", op.make("as_strided", {{"input", op.in("input")},
                                       {"dims", op.integers("dims")},
                                       {"stride", op.integers("stride")},
                                       {"offset", op.integer("offset", 0)}}));
}

// log(1 + exp(x)) of x within the threshold
void soft_relu(OpTranslation& op) {
  const double limit = op.number("threshold", 40);
  const Term x = Term::in(op, "X").make("clip", {{"min", -limit}, {"max", limit}});
  op.set("Out", x.make("softplus", {{"threshold", 1000.0}}));
}

// [N, 1] of classes as [N, depth]
void one_hot(OpTranslation& op) {
  Term x = Term::in(op, "X");
  if (x.rank() < 1 || op.in_or_null("depth_tensor")) op.unsupported("its depth is a tensor");
  const DType dtype = op.dtype("dtype", DType::kFloat32);
  op.set("Out",
         x.squeeze(-1).make("one_hot", {{"num_classes", op.integer("depth", -1)}}).cast(dtype));
}

// One process has all there is.
void alone(OpTranslation& op) {
  const int64_t processes = op.integer("nranks", 1);
  if (processes > 1) op.unsupported(str("it joins ", processes, " processes"));
  op.set("Out", op.make("assign", {{"x", op.in("X")}}));
}

// They do not say how many processes there are: one part of several would pass for the whole.
void of_several(OpTranslation& op) { op.unsupported("it reduces over several processes"); }

// Rows of a table that begins at a class of its own; 0 for those of other processes.
void embedding(OpTranslation& op) {
  const Term table = Term::in(op, "W");
  const Term ids =
      Term::in(op, "Ids").cast(DType::kInt64) - static_cast<double>(op.integer("start_index", 0));
  const Term rows = table.extents().at(0, 0);
  const Term inside = (ids >= ids.number(0)) && (ids < rows);
  const Term found = inside.where(ids, ids.like(0)).make("embedding", {{"weight", table.value()}});
  op.set("Out", found * inside.unsqueeze(-1).cast(table.dtype()));
}

// (x - sum / size) sqrt(size / square sum), by statistics of the training. Of slots, groups of
// columns whose first one says whether they are there, the absent ones are 0.
void data_norm(OpTranslation& op) {
  const Term x = Term::in(op, "X"), size = Term::in(op, "BatchSize");
  const Term mean = Term::in(op, "BatchSum") / size;
  const Term scale = (size / Term::in(op, "BatchSquareSum")).make("sqrt");
  Term out = (x - mean) * scale;
  op.set("Means", mean);
  op.set("Scales", scale);
  const int64_t slot = op.integer("slot_dim", -1);
  if (op.flag("enable_scale_and_shift", false)) {
    if (slot > 0) op.unsupported("it scales slots");
    out = out * Term::in(op, "scale_w") + Term::in(op, "bias");
  } else if (slot > 0) {
    const Term groups = x.reshape({-1, op.extent("X", 1) / slot, slot});
    const Term size_of_first = groups.part(2, 0, 1).make("abs");
    const Term there = (size_of_first >= size_of_first.number(1e-7)).cast(x.dtype());
    out = (out.reshape(groups.extents()) * there).reshape(x.extents());
  }
  op.set("Y", out);
}

// Pools of 1, 2, 4 ... parts along each axis, side by side (He et al. 2014).
void pyramid(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const int64_t levels = op.integer("pyramid_height", 1);
  if (x.rank() != 4 || levels < 1 || levels > 16)
    op.fail("an image and at most 16 levels are expected");
  const std::string type = op.text("pooling_type", "max");
  std::vector<Term> parts;
  for (int64_t level = 0; level < levels; ++level) {
    const int64_t bins = int64_t{1} << level;
    Ints kernel, padding;
    for (const int64_t axis : {2, 3}) {
      const int64_t extent = op.extent("X", axis);
      kernel.push_back((extent + bins - 1) / bins);
      padding.push_back((kernel.back() * bins - extent + 1) / 2);
    }
    const Term pool = x.make("pool2d", {{"kernel_size", kernel},
                                        {"strides", kernel},
                                        {"paddings", padding},
                                        {"ceil_mode", false},
                                        {"exclusive", true},
                                        {"data_format", "NCHW"},
                                        {"pooling_type", type},
                                        {"global_pooling", false},
                                        {"adaptive", false},
                                        {"padding_algorithm", "EXPLICIT"}});
    parts.push_back(pool.make("flatten", {{"start_axis", int64_t{1}}, {"stop_axis", int64_t{3}}}));
  }
  op.set("Out", Term::concat(parts, 1));
}

// x y' over the places of two images of features, their mean
void flow(OpTranslation& op) {
  const auto flat = [&](const char* slot) {
    return Term::in(op, slot).make("flatten",
                                   {{"start_axis", int64_t{2}}, {"stop_axis", int64_t{3}}});
  };
  const Term x = flat("X"), y = flat("Y");
  op.set("Out", x.matmul(y, false, true) / x.extents().at(0, 2).cast(x.dtype()));
}

constexpr const char* kRows = R"(
view_dtype: view_dtype input=input @dtype => out
tensor_unfold: tensor_unfold input=input @axis @size @step => out
fill_zeros_like2: full_like x=X value!0.0 => Out
)";

}  // namespace

void add_views_translations(TranslationTable& table) {
  for (const char* name : {"isnan", "isinf", "isfinite"}) table.add(name, any_of);
  table.add("view_shape", reshaped);
  table.add("as_strided", strided);
  table.add("soft_relu", soft_relu);
  table.add("one_hot", one_hot);
  for (const char* name :
       {"c_identity", "c_concat", "c_split", "c_allgather", "c_broadcast", "c_sync_calc_stream"}) {
    table.add(name, alone);
  }
  for (const char* name : {"c_allreduce_sum", "c_allreduce_max", "c_allreduce_min",
                           "c_allreduce_prod", "mp_allreduce_sum"}) {
    table.add(name, of_several);
  }
  table.add("c_embedding", embedding);
  table.add("data_norm", data_norm);
  table.add("spp", pyramid);
  table.add("fsp", flow);
  table.add_rows(kRows);
}

}  // namespace paddle::pir
