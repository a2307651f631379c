// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The door to libpaddle_legacy.so (pir/legacy), which knows the programs and the operators of
// PaddlePaddle 2. It is opened when the first file needs it; nothing else reaches what is behind
// it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pir/ir/ir.h"
#include "pir/serialize/format/model_summary.h"
#include "pir/serialize/legacy_door/program_desc.h"

namespace paddle::pir {

// Marks inputs and outputs of a program that are offsets of sequences (LoD); its value is the
// position of the input or output whose rows they are.
inline constexpr const char* kOffsetsOf = "offsets_of";

// What the library does. All of it may be called on several threads at once.
struct LegacyLibrary {
  // The program of the bytes of a `.pdmodel` file: builtin.parameter for persistable variables,
  // pd_op.data for inputs in the order of their columns, pd_op.fetch for outputs. ValueError when
  // the bytes are no such file; NotImplementedError that names all operators of the file that have
  // no translation.
  std::unique_ptr<Program> (*program_from_bytes)(std::string_view bytes);
  // What such bytes hold, also of programs that cannot run.
  void (*summarize)(std::string_view bytes, ModelSummary& out);
  // One operator with its inputs (serialize.h).
  std::unique_ptr<Program> (*program_of_operator)(const OpDesc& op,
                                                  const std::vector<VarDesc>& inputs);
  // The names of the operators of PaddlePaddle 2 that have a translation, sorted.
  std::vector<std::string> (*operator_names)();
  // Whether expand_compounds replaces the operation.
  bool (*is_compound)(const Operation& op);
  // Replaces operations of files of PaddlePaddle 3 that have no record, in nested blocks too, by
  // what the translations of PaddlePaddle 2's operators say of them, and tensor arrays by tensors.
  // Then the extents of all values are unknown (-1).
  void (*expand_compounds)(Program& program);
};

// Loads the library at the first call, whichever thread it is on. `user` says in the RuntimeError
// what needs a library that cannot be opened.
const LegacyLibrary& legacy_library(std::string_view user);

}  // namespace paddle::pir

// What the library exports.
extern "C" PADDLE_API const paddle::pir::LegacyLibrary* paddle_legacy_library();
