// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Dtypes that PaddlePaddle refuses while a static program is recorded, for functions that compute
// them where calls run at once.
#include <unordered_map>

#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/call/call_plan.h"

namespace paddle::bindings {
namespace {

constexpr uint64_t bit(DType d) { return uint64_t{1} << static_cast<int>(d); }

constexpr uint64_t kBool = bit(DType::kBool);
constexpr uint64_t kIntegers = bit(DType::kInt8) | bit(DType::kInt16) | bit(DType::kInt32) |
                               bit(DType::kInt64) | bit(DType::kUInt8);
constexpr uint64_t kFloating =
    bit(DType::kFloat16) | bit(DType::kBFloat16) | bit(DType::kFloat32) | bit(DType::kFloat64);

const std::unordered_map<std::string, uint64_t>& table() {
  static const std::unordered_map<std::string, uint64_t> refused{
      {"paddle.addmm", kBool | kIntegers},
      {"paddle.amax", kBool},
      {"paddle.amin", kBool},
      {"paddle.angle", kBool | kIntegers},
      {"paddle.bmm", kBool | kIntegers},
      {"paddle.dist", kBool | kIntegers},
      {"paddle.gcd", kBool | kFloating},
      {"paddle.is_empty", kBool},
      {"paddle.isclose", kBool | kIntegers},
      {"paddle.kthvalue", kBool},
      {"paddle.lcm", kBool | kFloating},
      {"paddle.lerp", kBool | kIntegers},
      {"paddle.max", kBool},
      {"paddle.min", kBool},
      {"paddle.mode", kBool},
      {"paddle.nansum", kBool},
      {"paddle.prod", kBool},
      {"paddle.real", kBool | kIntegers | kFloating},
  };
  return refused;
}

bool in_static_mode() {
  const Ref modes = checked(PyImport_ImportModule("paddle.framework.modes"));
  const Ref dynamic = checked(PyObject_CallMethod(modes.get(), "in_dynamic_mode", nullptr));
  return dynamic.get() == Py_False;
}

}  // namespace

uint64_t static_refusals(const std::string& path) {
  const auto found = table().find(path);
  return found == table().end() ? 0 : found->second;
}

void check_static_dtypes(const Plan& plan, const Slot* slots) {
  for (const Param& p : plan.params) {
    if (p.arg < 0 || slots[p.arg].kind != SlotKind::kTensor) continue;
    const DType dtype = slots[p.arg].tensor->dtype;
    if (!(plan.static_refusals & bit(dtype)) || !in_static_mode()) continue;
    throw_type(str(plan.name, ": ", p.text, " has dtype ", name_of(dtype),
                   "; static programs do not take it here. Cast it first."));
  }
}

}  // namespace paddle::bindings
