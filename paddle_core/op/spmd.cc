// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "paddle_core/op/spmd.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

Spmd::Factors whole_factors(const TensorImpl& t) { return Spmd::Factors(t.shape.size(), -1); }

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found = split(text, ' ');
  std::erase_if(found, [](const std::string& word) { return word.empty(); });
  return found;
}

}  // namespace

Spmd::Spmd(const OpDef& op, const Slot* slots, const Tensor* outs, size_t num_outs)
    : Args(op, slots) {
  for (int i = 0; i < op.num_args; ++i) {
    const Slot& s = slots[i];
    if (s.kind == SlotKind::kTensor) {
      operands_.push_back({i, -1, s.tensor, whole_factors(*s.tensor)});
    } else if (s.kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < s.count; ++k) {
        if (!s.list[k].defined()) continue;
        const TensorImpl& t = *s.list[k].impl();
        operands_.push_back({i, static_cast<int>(k), &t, whole_factors(t)});
      }
    }
  }
  for (size_t i = 0; i < num_outs; ++i) {
    const TensorImpl* t = outs[i].impl();
    results_.push_back({t, t ? whole_factors(*t) : Factors(), false});
  }
}

int Spmd::factor(int64_t extent) {
  factors_.push_back({extent, false, std::nullopt});
  return static_cast<int>(factors_.size()) - 1;
}

Spmd& Spmd::even(int factor) { return factors_[static_cast<size_t>(factor)].even = true, *this; }

Spmd& Spmd::reduces(int factor, ReduceKind kind) {
  factors_[static_cast<size_t>(factor)].reduce = kind;
  return *this;
}

Spmd& Spmd::operand(int arg, int64_t dim, int factor, int element) {
  for (Operand& o : operands_) {
    if (o.arg != arg || o.element != element) continue;
    o.factors[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(o.factors.size()) : dim)] =
        factor;
  }
  return *this;
}

Spmd& Spmd::result(int result, int64_t dim, int factor) {
  Factors& factors = results_[static_cast<size_t>(result)].factors;
  if (!results_[static_cast<size_t>(result)].tensor) return *this;
  factors[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(factors.size()) : dim)] = factor;
  return *this;
}

void Spmd::broadcast() {
  const int64_t rank = out_ndim(0);
  for (int64_t d = 1; d <= rank; ++d) {  // from the right
    const int64_t extent = out_shape(0)[static_cast<size_t>(rank - d)].value();
    const int f = factor(extent);
    for (Operand& o : operands_) {
      const auto own = static_cast<int64_t>(o.factors.size());
      if (d <= own && o.tensor->shape[static_cast<size_t>(own - d)].value() == extent) {
        o.factors[static_cast<size_t>(own - d)] = f;
      }
    }
    for (Result& r : results_) {
      const auto own = static_cast<int64_t>(r.factors.size());
      if (r.tensor && d <= own) r.factors[static_cast<size_t>(own - d)] = f;
    }
  }
}

void Spmd::reduction(std::optional<ReduceKind> kind) {
  const int64_t rank = ndim(0);
  SmallVector<bool, 5> reduced(static_cast<size_t>(rank), false);
  const Slot axes = op().reduced_axes_arg >= 0 ? slot(op().reduced_axes_arg) : Slot();
  const auto reduce = [&](int64_t axis) {
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  };
  if (axes.kind == SlotKind::kInt) {
    reduce(axes.i);
  } else {
    for (uint32_t i = 0; i < axes.count; ++i) reduce(axes.dims[i].value());
  }
  if (std::find(reduced.begin(), reduced.end(), true) == reduced.end()) {  // none given: all
    for (bool& r : reduced) r = true;
  }
  const bool keepdim = op().keepdim_arg >= 0 && b(op().keepdim_arg);
  int64_t at = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const bool gone = reduced[static_cast<size_t>(d)];
    if (!gone || kind) {
      const int f = factor(shape(0)[static_cast<size_t>(d)].value());
      operand(0, d, f);
      if (gone) {
        reduces(f, *kind);
        if (*kind == ReduceKind::kAvg) even(f);
      } else {
        for (size_t r = 0; r < results_.size(); ++r) result(static_cast<int>(r), at, f);
      }
    }
    if (!gone || keepdim) ++at;
  }
}

void Spmd::along(std::initializer_list<int64_t> whole) {
  const int64_t rank = ndim(0);
  for (int64_t d = 0; d < rank; ++d) {
    const bool is_whole =
        std::any_of(whole.begin(), whole.end(), [&](int64_t w) { return w == d || w + rank == d; });
    if (is_whole) continue;
    const Dim extent = shape(0)[static_cast<size_t>(d)];
    const int f = factor(extent.value());
    const auto takes = [&](const TensorImpl* t) {
      return t && static_cast<int64_t>(t->shape.size()) == rank &&
             t->shape[static_cast<size_t>(d)] == extent;
    };
    for (Operand& o : operands_) {
      if (takes(o.tensor)) o.factors[static_cast<size_t>(d)] = f;
    }
    for (Result& r : results_) {
      if (takes(r.tensor)) r.factors[static_cast<size_t>(d)] = f;
    }
  }
}

Spmd& Spmd::linear(std::initializer_list<int> args) {
  uint64_t group = 0;
  for (size_t i = 0; i < operands_.size() && i < 64; ++i) {
    if (std::find(args.begin(), args.end(), operands_[i].arg) != args.end()) {
      group |= uint64_t{1} << i;
    }
  }
  if (group && operands_.size() <= 64) linear_.push_back(group);
  return *this;
}

Spmd& Spmd::shape_argument(int arg, int result) {
  shape_arguments_.push_back({arg, result});
  return *this;
}

void Spmd::parse(std::string_view text) {
  const size_t arrow = text.find("->");
  PADDLE_CHECK_VALUE(arrow != std::string_view::npos, "operator ", op().name(), ": spmd \"",
                     std::string(text), "\" has no ->.");
  std::map<std::string, int> named;
  std::vector<int> leading;  // factors of "...", from the right
  const auto place = [&](const std::vector<std::string>& names, const Shape& shape, Factors& into) {
    const bool open = !names.empty() && names[0] == "...";
    const size_t fixed = names.size() - (open ? 1 : 0);
    PADDLE_CHECK_VALUE(open ? shape.size() >= fixed : shape.size() == fixed, "operator ",
                       op().name(), ": spmd \"", std::string(text), "\" does not fit shape ", shape,
                       ".");
    const size_t rest = shape.size() - fixed;
    for (size_t i = 0; i < rest; ++i) {  // from the right
      const int64_t extent = shape[rest - 1 - i].value();
      if (leading.size() <= i) leading.push_back(factor(extent));
      auto& f = factors_[static_cast<size_t>(leading[i])];
      if (f.extent == 1) f.extent = extent;  // broadcast so far
      if (f.extent == extent && extent != 1) into[rest - 1 - i] = leading[i];
    }
    for (size_t i = 0; i < fixed; ++i) {
      const std::string& name = names[i + (open ? 1 : 0)];
      if (name == "*") continue;
      const int64_t extent = shape[rest + i].value();
      const auto [at, is_new] = named.try_emplace(name, -1);
      if (is_new) at->second = factor(extent);
      into[rest + i] = at->second;
    }
  };
  size_t number = 0;
  const std::vector<std::string> inputs = split(text.substr(0, arrow), ',');
  for (Operand& o : operands_) {
    number = static_cast<size_t>(o.arg);
    if (number < inputs.size()) place(words(inputs[number]), o.tensor->shape, o.factors);
  }
  const std::vector<std::string> outputs = split(text.substr(arrow + 2), ',');
  for (size_t i = 0; i < results_.size() && i < outputs.size(); ++i) {
    if (results_[i].tensor)
      place(words(outputs[i]), results_[i].tensor->shape, results_[i].factors);
  }
  for (size_t f = 0; f < factors_.size(); ++f) {
    for (const Result& r : results_) {
      if (r.tensor &&
          std::find(r.factors.begin(), r.factors.end(), static_cast<int>(f)) == r.factors.end()) {
        factors_[f].reduce = ReduceKind::kSum;
      }
    }
  }
}

ShardingSource sharding_source(const OpDef& op) {
  // Its arguments are the placements; the layer of distributed tensors carries it out.
  if (op.has(kPlaces)) return ShardingSource::kRule;
  const auto& args = op.schema().args;
  if (std::none_of(args.begin(), args.end(), [](const ArgSpec& a) { return a.is_tensor(); })) {
    return ShardingSource::kNone;
  }
  // A rule speaks of extents, which nobody knows before such a call has run.
  if (op.has(kDynamicOutput)) return ShardingSource::kWhole;
  if (op.spmd_fn || !op.spmd_text.empty()) return ShardingSource::kRule;
  if (op.has(kElementwise)) return ShardingSource::kElementwise;
  const bool composed = op.kind() == OpKind::kComposed;
  if (op.has(kReduction) && !composed && op.reduced_axes_arg >= 0) {
    return ShardingSource::kReduction;
  }
  // What writes its arguments does so itself, not through a decomposition.
  if (composed && op.decompose_fn && !op.is_native_inplace()) return ShardingSource::kDecomposition;
  return ShardingSource::kWhole;
}

std::string_view name_of(ShardingSource source) {
  switch (source) {
    case ShardingSource::kRule:
      return "rule";
    case ShardingSource::kElementwise:
      return "elementwise";
    case ShardingSource::kReduction:
      return "reduction";
    case ShardingSource::kDecomposition:
      return "decomposition";
    case ShardingSource::kWhole:
      return "whole";
    case ShardingSource::kNone:
      return "none";
  }
  return "";
}

bool sharding_rule(Spmd& call) {
  const OpDef& op = call.op();
  switch (sharding_source(op)) {
    case ShardingSource::kRule:
      if (op.spmd_fn) {
        op.spmd_fn(call);
      } else if (!op.spmd_text.empty()) {
        call.parse(op.spmd_text);
      }
      return true;
    case ShardingSource::kElementwise:
      if (call.results().empty()) return false;
      return call.broadcast(), true;
    case ShardingSource::kReduction:
      return call.reduction(std::nullopt), true;
    case ShardingSource::kDecomposition:
    case ShardingSource::kWhole:
    case ShardingSource::kNone:
      return false;
  }
  return false;
}

}  // namespace paddle
