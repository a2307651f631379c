// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that see the tensors of each operator, and the names that the tensors have for them.
#include <unordered_map>

#include "inference/predictor/runner.h"
#include "pir/interpreter/observe.h"

namespace paddle_infer::detail {

using paddle::pir::Block;
using paddle::pir::DenseValues;
using paddle::pir::Operation;
using paddle::pir::SavedProgram;
using paddle::pir::SeenValue;
using paddle::pir::Value;

namespace {

// Inputs, parameters and outputs have the names of the program, other values a number.
class Names {
 public:
  explicit Names(const SavedProgram& p) {
    const auto give = [&](const std::vector<Value*>& values,
                          const std::vector<std::string>& names) {
      for (size_t i = 0; i < values.size(); ++i) names_.emplace(values[i], names[i]);
    };
    give(p.inputs, p.input_names);
    give(p.parameter_values, p.parameter_names);
    give(p.outputs, p.output_names);
    number(p.program->block());
  }

  const std::string& operator[](const Value& v) const { return names_.at(&v); }

 private:
  void number(const Block& block) {
    for (size_t i = 0; i < block.num_arguments(); ++i) {
      names_.emplace(block.argument(i), paddle::str("body_block_arg_", count_++));
    }
    for (const auto& op : block.operations()) {
      for (size_t i = 0; i < op->num_results(); ++i) {
        names_.emplace(op->result(i), name_of(*op));
      }
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) number(*inner);
      }
    }
  }

  // Parameters of an optimised program are constants that have kept their names.
  std::string name_of(const Operation& op) {
    const bool constant = op.is("builtin.constant");
    if (constant) {
      const paddle::Tensor& t = op.attribute("value").get<DenseValues>().tensor;
      if (t->name) return *t->name;
    }
    return paddle::str(constant ? "constant_" : "inner_var_", count_++);
  }

  std::unordered_map<const Value*, std::string> names_;
  size_t count_ = 0;
};

}  // namespace

struct Runner::Hooks {
  explicit Hooks(const SavedProgram& program) : names(program) {}

  Names names;
  std::vector<SeeTensor> of_operands, of_results;

  void show(const SeenValue& seen) const {
    const std::vector<SeeTensor>& hooks = seen.result ? of_results : of_operands;
    if (hooks.empty()) return;
    const std::string op = paddle::str(seen.op.name(), ':', seen.number);
    for (size_t i = 0; i < hooks.size(); ++i) {
      const SeeTensor see = hooks[i];  // it may add another
      see(op, names[seen.value], seen.tensor);
    }
  }
};

void Runner::add_hook(bool on_results, SeeTensor see) {
  if (!hooks_) hooks_ = std::make_shared<Hooks>(*program_);
  (on_results ? hooks_->of_results : hooks_->of_operands).push_back(std::move(see));
}

paddle::TensorList Runner::run_program(const paddle::TensorList& given,
                                       std::vector<paddle::pir::SequenceOffsets>& made) const {
  std::vector<paddle::pir::SequenceOffsets> sequences;
  for (const IoPtr& io : inputs_) sequences.push_back(io->lod);
  if (!hooks_) return program_->run(given, sequences, &made);
  const paddle::pir::ValueWatch watch(
      [hooks = hooks_](const SeenValue& seen) { hooks->show(seen); });
  return program_->run(given, sequences, &made);
}

}  // namespace paddle_infer::detail
