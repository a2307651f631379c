// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The content of a `.pdmodel` file, PaddlePaddle 2's ProgramDesc, as plain structs. Operators name
// variables; nothing here says what an operator does (pir/legacy).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "paddle_core/shape/shape.h"
#include "paddle_core/type/dtype.h"

namespace paddle::pir {

struct VarDesc {
  static constexpr int64_t kDenseTensor = 7, kTensorArray = 13;
  std::string name;
  int64_t kind = 0;                 // VarType.Type
  DType dtype = DType::kUndefined;  // of a dense tensor or the elements of an array
  std::vector<int64_t> dims;        // -1: unknown
  bool persistable = false;
  int64_t levels = 0;  // of offsets that say where its sequences begin (LoD)
  bool is_tensor() const { return kind == kDenseTensor; }
  bool is_array() const { return kind == kTensorArray; }
};

// Numbers, texts or names of variables; a single value is a list of one.
struct AttrDesc {
  enum class Kind : uint8_t { kInts, kReals, kTexts, kVars, kBlock };
  Kind kind = Kind::kInts;
  bool is_list = false;
  bool is_bool = false;
  std::vector<int64_t> ints;  // also booleans and the index of a block
  std::vector<double> reals;
  std::vector<std::string> texts;  // also names of variables
};

struct OpDesc {
  std::string type;
  std::map<std::string, std::vector<std::string>, std::less<>> inputs, outputs;  // slot: variables
  std::map<std::string, AttrDesc, std::less<>> attributes;
};

struct BlockDesc {
  int64_t parent = -1;
  std::map<std::string, VarDesc, std::less<>> vars;
  std::vector<OpDesc> ops;
};

struct ProgramDesc {
  int64_t version = 0;
  std::vector<BlockDesc> blocks;
};

}  // namespace paddle::pir
