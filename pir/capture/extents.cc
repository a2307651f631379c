// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Integers that a recorded program computes from shapes: what paddle.shape(x)[0] * 2 is, as an
// extent, so that it can stand in the shape argument of a call.
#include "pir/capture/extents.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "paddle_core/dispatch/call.h"
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {
namespace {

using Integers = std::optional<Shape>;

constexpr int kMaxDepth = 1000;
constexpr int64_t kMaxIntegers = 64;

Integers integers_of(const Value* v, int depth);

Integers operand(const Operation& op, size_t i, int depth) {
  return i < op.num_operands() ? integers_of(op.operand(i), depth) : std::nullopt;
}

bool all_static(const Shape& s) {
  return std::all_of(s.begin(), s.end(), [](Dim d) { return !d.is_symbolic(); });
}

// A window of a one-dimensional tensor.
Integers sliced(const Operation& op, int depth) {
  const Integers x = operand(op, 0, depth), first = operand(op, 1, depth),
                 last = operand(op, 2, depth);
  const Type& from = op.operand(0)->type();
  if (!x || !first || !last || first->size() != 1 || last->size() != 1) return std::nullopt;
  if (from.shape().size() != 1 || !all_static(*first) || !all_static(*last)) return std::nullopt;
  const auto size = static_cast<int64_t>(x->size());
  const auto place = [size](Dim d) {
    const int64_t at = d.value() < 0 ? d.value() + size : d.value();
    return std::clamp<int64_t>(at, 0, size);
  };
  const int64_t begin = place((*first)[0]), end = std::max(begin, place((*last)[0]));
  return Shape(x->begin() + begin, x->begin() + end);
}

Integers joined(const Operation& op, int depth) {
  const Value* list = op.operand(0);
  if (!list || !list->producer() || !list->producer()->is("builtin.combine")) return std::nullopt;
  Shape all;
  for (const Value* part : list->producer()->operands()) {
    const Integers known = integers_of(part, depth);
    if (!known || part->type().shape().size() > 1) return std::nullopt;
    for (const Dim d : *known) all.push_back(d);
  }
  return all;
}

// One of the results of an unbind.
Integers part_of(const Value* v, int depth) {
  const Value* list = v->producer()->operand(0);
  const Operation* op = list ? list->producer() : nullptr;
  if (!op || !op->is("pd_op.unbind")) return std::nullopt;
  const Integers x = operand(*op, 0, depth);
  if (!x || v->index() >= x->size()) return std::nullopt;
  return Shape{(*x)[v->index()]};
}

// An operator of two lists, or of a list and one number.
template <std::optional<Dim> (*combine)(Dim, Dim)>
Integers combined(const Operation& op, int depth) {
  const Integers a = operand(op, 0, depth), b = operand(op, 1, depth);
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return std::nullopt;
  Shape out;
  for (size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    const Dim x = (*a)[a->size() == 1 ? 0 : i], y = (*b)[b->size() == 1 ? 0 : i];
    const std::optional<Dim> d = combine(x, y);
    if (!d) return std::nullopt;
    out.push_back(*d);
  }
  return out;
}

std::optional<Dim> sum(Dim x, Dim y) { return x + y; }
std::optional<Dim> difference(Dim x, Dim y) { return x - y; }
std::optional<Dim> product(Dim x, Dim y) { return x * y; }
std::optional<Dim> quotient(Dim x, Dim y) {
  if (y.is_symbolic() || y.value() <= 0) return std::nullopt;
  return floordiv(x, y);
}
std::optional<Dim> rest(Dim x, Dim y) {
  if (y.is_symbolic() || y.value() <= 0) return std::nullopt;
  return mod(x, y);
}

Integers filled(const Operation& op) {
  const Attribute* value = op.find_attribute("value");
  const Type& type = op.result()->type();
  if (!value || !is_static(type.shape()) || numel_of(type.shape()).value() > kMaxIntegers) {
    return std::nullopt;
  }
  const Scalar s = value->to_scalar();
  if (!s.is_integral() && s.to_double() != static_cast<double>(s.to_int())) return std::nullopt;
  Shape out;
  for (int64_t i = 0; i < numel_of(type.shape()).value(); ++i) out.push_back(Dim(s.to_int()));
  return out;
}

// x plus a constant, or times one and plus another.
Integers scaled(const Operation& op, int depth) {
  const Integers x = operand(op, 0, depth);
  const auto number = [&op](const char* name, double otherwise) {
    const Attribute* a = op.find_attribute(name);
    return a ? a->to_scalar().to_double() : otherwise;
  };
  const double factor = number("scale", 1), added = number("bias", number("value", 0));
  const bool late = op.find_attribute("bias_after_scale") != nullptr &&
                    !op.attribute("bias_after_scale").get<bool>();
  const auto whole = [](double v) { return v == std::floor(v) && std::abs(v) < 1e9; };
  if (!x || !whole(factor) || !whole(added)) return std::nullopt;
  const Dim times(static_cast<int64_t>(factor)), plus(static_cast<int64_t>(added));
  Shape out;
  for (const Dim d : *x) out.push_back(late ? (d + plus) * times : d * times + plus);
  return out;
}

Integers extents_of(const Operation& op, int) { return op.operand(0)->type().shape(); }
Integers count_of(const Operation& op, int) {
  return Shape{numel_of(op.operand(0)->type().shape())};
}
Integers listed(const Operation& op, int) { return op.attribute("value").to_dims(); }
Integers filled_with(const Operation& op, int) { return filled(op); }
Integers same(const Operation& op, int depth) { return operand(op, 0, depth); }
Integers scaled_by_number(const Operation& op, int depth) {
  return op.num_operands() == 1 ? scaled(op, depth) : std::nullopt;
}

using IntegerRule = Integers (*)(const Operation& op, int depth);

// By the index of the name.
const std::unordered_map<uint32_t, IntegerRule>& integer_rules() {
  static const std::unordered_map<uint32_t, IntegerRule> rules = [] {
    const std::pair<OpName, IntegerRule> all[] = {
        {"pd_op.shape64", extents_of},
        {"pd_op.shape", extents_of},
        {"pd_op.numel", count_of},
        {"pd_op.full_int_array", listed},
        {"pd_op.full", filled_with},
        {"pd_op.slice", sliced},
        {"pd_op.concat", joined},
        {"pd_op.stack", joined},
        {"pd_op.increment", scaled},
        {"pd_op.increment_", scaled},
        {"pd_op.scale", scaled_by_number},
        {"pd_op.cast", same},
        {"pd_op.reshape", same},
        {"pd_op.squeeze", same},
        {"pd_op.unsqueeze", same},
        {"pd_op.assign", same},
        {"pd_op.flatten", same},
        {"pd_op.add", combined<sum>},
        {"pd_op.subtract", combined<difference>},
        {"pd_op.multiply", combined<product>},
        {"pd_op.floor_divide", combined<quotient>},
        {"pd_op.remainder", combined<rest>},
    };
    std::unordered_map<uint32_t, IntegerRule> table;
    for (const auto& [name, rule] : all) table.emplace(name.index(), rule);
    return table;
  }();
  return rules;
}

Integers integers_of(const Value* v, int depth) {
  if (!v || !v->producer() || depth > kMaxDepth || !v->type().is_tensor()) return std::nullopt;
  const Operation& op = *v->producer();
  const DType dtype = v->type().dtype();
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return std::nullopt;
  if (op.is("builtin.split")) return part_of(v, depth + 1);
  const auto rule = integer_rules().find(op.op_name().index());
  return rule == integer_rules().end() ? std::nullopt : rule->second(op, depth + 1);
}

}  // namespace

bool Extents::extent_of(const Tensor& t, Dim& out) const {
  if (t->capture.program != context_.id) return false;
  const auto* v = static_cast<const Value*>(t->capture.value);
  const Integers known = control_flow().is_discarded(v) ? std::nullopt : integers_of(v, 0);
  if (!known || known->size() != 1) return false;
  out = (*known)[0];
  return true;
}

bool Extents::sizes_of(const Tensor& t, Shape& out) const {
  if (t->capture.program != context_.id || t.shape().size() > 1) return false;
  const auto* v = static_cast<const Value*>(t->capture.value);
  const Integers known = control_flow().is_discarded(v) ? std::nullopt : integers_of(v, 0);
  if (!known || !all_static(*known) ||
      !(numel_of(t.shape()) == Dim(static_cast<int64_t>(known->size()))))
    return false;
  out = *known;
  return true;
}

Dim Extents::number_of(const Tensor& t) {
  if (Dim known; extent_of(t, known)) return known;
  const Dim symbol = context_.symbols->fresh();
  context_.builder.create(std::string(kExtent), {values().operand_of(t)}, {},
                          {{"symbol", Shape{symbol}}});
  return symbol;
}

std::optional<Dim> Extents::extent_from(const Tensor& t) {
  if (t.has_storage() || t->capture.program != context_.id) return std::nullopt;
  if (Dim known; extent_of(t, known)) return known;
  const bool integral = !is_floating(t.dtype()) && !is_complex(t.dtype()) && !is_bool(t.dtype());
  if (!context_.active || !integral) return std::nullopt;
  if (!is_static(t.shape()) || t.numel() != 1) return std::nullopt;
  return number_of(t);
}

Shape Extents::numbers_in(const OpDef& op, int arg, const Slot& given) {
  static const OpDef* const unbind = Registry::global().find("unbind");
  const std::string& name = op.schema().args[static_cast<size_t>(arg)].name;
  Shape numbers;
  Outputs parts;
  if (given.kind == SlotKind::kTensorList) {
    for (uint32_t k = 0; k < given.count; ++k) parts.push_back(given.list[k]);
  } else {
    const Tensor t(IntrusivePtr<TensorImpl>::share(given.tensor));
    if (sizes_of(t, numbers)) return numbers;
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, t.ndim() <= 1 && is_static(t.shape()), op.name(),
                      ": ", name, " is a Tensor of shape ", t.shape(),
                      " of the program that is captured; a number or a list of known length is "
                      "needed. Give numbers, or a Tensor of one axis of fixed extent.");
    if (t.ndim() == 0) {
      parts.push_back(t);
    } else if (t.numel() > 0) {
      const Slot slots[] = {given, Slot::of_int(0)};
      call(*unbind, slots, parts);
    }
  }
  for (const Tensor& part : parts) {
    PADDLE_CHECK_TYPE(is_integer(part.dtype()), op.name(), ": ", name, " is a tensor of dtype ",
                      part.dtype(), "; a tensor of integers is needed.");
    numbers.push_back(number_of(part));
  }
  return numbers;
}

}  // namespace paddle::pir
