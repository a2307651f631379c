// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Integers that a recorded program computes from shapes: what paddle.shape(x)[0] * 2 is, as an
// extent, so that it can stand in the shape argument of a call.
#include "pir/capture/extents.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/integers.h"
#include "pir/capture/capture.h"
#include "pir/dialect/arguments.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {
namespace {

constexpr int kMaxDepth = 1000;

// The integers that values of a program hold, by the rules of the operators that make them.
class KnownIntegers {
 public:
  Integers of(const Value* v) {
    if (!v || !v->producer() || depth_ > kMaxDepth || !v->type().is_tensor()) return std::nullopt;
    const DType dtype = v->type().dtype();
    if (dtype != DType::kInt32 && dtype != DType::kInt64) return std::nullopt;
    ++depth_;
    Integers known = v->producer()->is("builtin.split") ? part_of_list(v) : made_by(*v->producer());
    --depth_;
    return known;
  }

 private:
  // Of the results of a list operator, which stand one after the other.
  Integers part_of_list(const Value* v) {
    const Operation& split = *v->producer();
    const Value* list = split.operand(0);
    const Integers all = list && list->producer() ? made_by(*list->producer()) : std::nullopt;
    if (!all) return std::nullopt;
    int64_t begin = 0;
    for (size_t k = 0; k <= v->index(); ++k) {
      const Shape& shape = split.result(k)->type().shape();
      if (!is_static(shape)) return std::nullopt;
      const int64_t end = begin + numel_of(shape).value();
      if (end > static_cast<int64_t>(all->size())) return std::nullopt;
      if (k == v->index()) return Shape(all->begin() + begin, all->begin() + end);
      begin = end;
    }
    return std::nullopt;
  }

  Integers made_by(const Operation& op) {
    if (op.is("pd_op.full_int_array") || op.is("builtin.dims")) {
      return op.attribute("value").to_dims();
    }
    if (!op.def || !op.def->integers_fn) return std::nullopt;
    std::unordered_map<const TensorImpl*, const Value*> values;
    TensorList held;
    const auto stand_in = [&](const Value* v) {
      Tensor t = Tensor::meta(v->type().shape(), v->type().dtype());
      values.emplace(t.impl(), v);
      held.push_back(t);
      return t;
    };
    const OperationArgs args(op, [&](const Value* v) -> TensorList {
      if (v->type().is_tensor()) return {stand_in(v)};
      const Tensor unknown = Tensor::meta(Shape(), DType::kInt64);
      const Operation* combine = v->producer();
      if (!combine || !combine->is("builtin.combine")) return {unknown};
      TensorList list;
      for (const Value* element : combine->operands()) {
        list.push_back(element ? stand_in(element) : unknown);
      }
      return list;
    });
    const IntegerArgs::Known known = [&](const Tensor& t) -> Integers {
      const auto at = values.find(t.impl());
      return at == values.end() ? std::nullopt : of(at->second);
    };
    return op.def->integers_fn(IntegerArgs(*op.def, args.slots(), known));
  }

  int depth_ = 0;
};

}  // namespace

bool Extents::extent_of(const Tensor& t, Dim& out) const {
  if (t->capture.program != context_.id) return false;
  const auto* v = static_cast<const Value*>(t->capture.value);
  const Integers known = control_flow().is_discarded(v) ? std::nullopt : KnownIntegers().of(v);
  if (!known || known->size() != 1) return false;
  out = (*known)[0];
  return true;
}

bool Extents::sizes_of(const Tensor& t, Shape& out) const {
  if (t->capture.program != context_.id || t.shape().size() > 1) return false;
  const auto* v = static_cast<const Value*>(t->capture.value);
  const Integers known = control_flow().is_discarded(v) ? std::nullopt : KnownIntegers().of(v);
  if (!known || !is_static(*known) ||
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
