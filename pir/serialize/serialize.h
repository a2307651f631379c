// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs on disk: PaddlePaddle's `.json` (version 4), `.pdmodel` (of PaddlePaddle 2, read only)
// and `.pdiparams`. Files are checked before they are believed; a malformed one is a ValueError
// that says where.
#pragma once

#include <optional>

#include "pir/capture/captured.h"
#include "pir/interpreter/interpreter.h"
#include "pir/serialize/format/program_json.h"
#include "pir/serialize/format/tensor_records.h"
#include "pir/serialize/legacy_door/program_desc.h"

namespace paddle::pir {

// Where the sequences among the rows of a tensor begin, for each level of nesting: offsets from 0
// on (LoD).
using SequenceOffsets = std::vector<std::vector<size_t>>;

struct PADDLE_API SavedProgram {
  std::shared_ptr<Program> program;
  std::vector<std::string> input_names, output_names, parameter_names;
  std::vector<Value*> inputs, parameter_values, outputs;
  // The levels of offsets of an input and of an output, one after the other.
  struct Offsets {
    size_t of;
    Value* value;
    bool needed = true;  // something other than an output is made of it
  };
  std::vector<Offsets> input_offsets, output_offsets;
  TensorList parameters;  // in the order of the program
  std::shared_ptr<Interpreter> interpreter;
  // Other tensors in the place of the parameters, of the same dtypes and shapes.
  void set_parameters(const TensorList& tensors);
  // Recorded by autograd when that is on and an input or a parameter needs a gradient, and by a
  // capture when one is active.
  TensorList run(const TensorList& inputs) const { return run(inputs, {}, nullptr); }
  // With the sequences of the inputs (those of further ones may be missing); `made` gets those of
  // the outputs. ValueError when an input whose sequences the program reads has none, or such that
  // do not fit its rows.
  TensorList run(const TensorList& inputs, const std::vector<SequenceOffsets>& sequences,
                 std::vector<SequenceOffsets>* made) const;
};

// prefix.json and, when there are parameters, prefix.pdiparams. `names` names the captured inputs
// in order. With `outputs` only those, and of the inputs those that they need.
PADDLE_API void save_program(const Captured& captured, const std::string& prefix,
                             const std::vector<std::string>& names,
                             const std::vector<size_t>* outputs = nullptr);
struct LoadOptions {
  bool optimize = true;              // run the passes
  std::vector<std::string> without;  // but not these; unknown names are ignored
  bool frozen = false;     // parameters never change: they become constants of the program
  bool as_stored = false;  // the operations that the file holds; the program does not run
  bool bfloat16 = false;   // frozen: convolutions and products in bfloat16
  bool compiled = false;   // frozen: kernels are generated, also where FLAGS_use_cinn is off
  std::optional<std::vector<std::string>> passes;  // these instead of those of a pipeline
};

// The file names are complete; `params` may be empty when the program has no parameter. Whether the
// program is text or a ProgramDesc is read off its content.
PADDLE_API SavedProgram load_program(const std::string& path, const std::string& params,
                                     const LoadOptions& options = {});
// The same from the contents of both files.
PADDLE_API SavedProgram load_program_from_memory(std::string_view program, std::string_view params,
                                                 const LoadOptions& options = {});

// One operator of PaddlePaddle 2 as a program. Its inputs are `inputs`, in that order; its outputs
// those variables of `op` that the operator gives. NotImplementedError when there is none of its
// name, or none with these slots.
PADDLE_API SavedProgram operator_as_program(const OpDesc& op, const std::vector<VarDesc>& inputs);
// The names of the operators of PaddlePaddle 2 that paddle runs, sorted.
PADDLE_API std::vector<std::string> translated_operators();

}  // namespace paddle::pir
