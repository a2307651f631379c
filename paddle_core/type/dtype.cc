// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Names and disk numbers of the element types, each in one table indexed by DType.
#include "paddle_core/type/dtype.h"

#include <ostream>

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

struct Row {
  std::string_view name;
  int disk_number;
};
constexpr Row kRows[kNumDTypes] = {
    {"undefined", -1},   {"bool", 0},       {"uint8", 20},      {"int8", 21},
    {"int16", 1},        {"int32", 2},      {"int64", 3},       {"float8_e4m3fn", 32},
    {"float8_e5m2", 33}, {"float16", 4},    {"bfloat16", 22},   {"float32", 5},
    {"float64", 6},      {"complex64", 23}, {"complex128", 24},
};

}  // namespace

std::string_view name_of(DType t) { return kRows[static_cast<int>(t)].name; }

DType dtype_from_name(std::string_view name) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return DType::kUndefined;
}

int disk_number_of(DType t) {
  PADDLE_CHECK_VALUE(t != DType::kUndefined,
                     "save: dtype is undefined; only tensors that have a dtype can be saved.");
  return kRows[static_cast<int>(t)].disk_number;
}

DType dtype_from_disk_number(int number) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (kRows[i].disk_number == number) return static_cast<DType>(i);
  }
  throw_error(ErrorKind::kValue,
              str("load: data type has number ", number,
                  "; no element type has that number; the file is damaged or of a newer version."));
}

std::ostream& operator<<(std::ostream& out, DType t) { return out << name_of(t); }

}  // namespace paddle
