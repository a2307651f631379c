// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The signature of an operator, parsed once from its one-line text:
//
//   rms_norm(Tensor x, Tensor? scale, float epsilon=1e-6) -> (Tensor out, Tensor rstd)
//
// Argument types: Tensor, Tensor?, Tensor[], bool, int (saved as i32), int64, float (saved as f32),
// double, str, DType, Place, Scalar, IntArray, int[], int64[], float[]. Scalar and IntArray accept
// a constant or a tensor; a trailing `@operand` on their type says that saved programs hold them as
// operand (as PaddlePaddle's do), e.g. `IntArray@operand shape`. Whole numbers become operands of
// int64, or of the dtype that stands in its place: `Scalar@int32 axis`. An IntArray with `?` has no
// operand when it is empty. Result types: Tensor, Tensor?, Tensor[].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paddle_core/op/slot.h"

namespace paddle {

enum class ArgType : uint8_t {
  kTensor,
  kTensorList,
  kBool,
  kInt,
  kInt64,
  kFloat,
  kDouble,
  kString,
  kDType,
  kPlace,
  kScalar,
  kIntArray,
  kInts,    // int[]: array of i32
  kInt64s,  // int64[]
  kFloats,
};

// A default value, or any constant attribute that stands alone.
struct PADDLE_API Constant {
  SlotKind kind = SlotKind::kNone;
  int64_t i = 0;
  double f = 0;
  Scalar scalar;
  std::string text;
  Shape ints;
  std::vector<double> floats;
  Slot slot() const;
};

struct PADDLE_API ArgSpec {
  std::string name;
  ArgType type = ArgType::kTensor;
  bool optional = false;  // Tensor?, IntArray?
  bool saved_as_operand = false;
  DType operand_dtype = DType::kInt64;  // of whole numbers that are saved as operand
  bool has_default = false;
  Constant default_value;
  bool is_tensor() const { return type == ArgType::kTensor || type == ArgType::kTensorList; }
  // Whether it is a Place that is the one of the call's tensors unless a call names another.
  bool follows_tensors() const { return type == ArgType::kPlace && default_value.i != 0; }
};

struct ResultSpec {
  std::string name;
  bool optional = false;
  bool is_list = false;
};

struct PADDLE_API Schema {
  std::string text;
  std::string name;
  std::vector<ArgSpec> args;
  std::vector<ResultSpec> results;

  // ValueError with the position on malformed text.
  static Schema parse(std::string_view text);
  int arg_index(std::string_view name) const;     // -1 when absent
  int result_index(std::string_view name) const;  // -1 when absent
};

PADDLE_API std::string_view type_name(ArgType type);

}  // namespace paddle
