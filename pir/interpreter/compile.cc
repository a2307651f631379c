// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Building the instruction list of a program.
#include <deque>

#include "pir/dialect/arguments.h"
#include "pir/dialect/control_flow.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::pir {
namespace {

bool has_symbol(const Shape& dims) { return !is_static(dims); }

bool has_symbol(const Type& t) {
  if (t.is_tensor()) return has_symbol(t.shape());
  for (const Type& e : t.elements()) {
    if (has_symbol(e)) return true;
  }
  return false;
}

// Folds into a constant slot of the consumer whenever the consumer takes a constant.
bool is_constant_maker(const Operation& op) {
  return op.is("pd_op.full_int_array") || op.is("pd_op.full") || op.is("builtin.dims") ||
         op.is("builtin.constant");
}

// The values of a constant where its type says that they are.
Tensor at_place(const Tensor& t, const Type& type) {
  if (t.place() == type.place()) return t;
  Tensor moved = Tensor::empty(t.shape(), t.dtype(), type.place());
  moved.copy_data_from(t);
  return moved;
}

InstructionKind kind_of(const Operation& op) {
  if (op.is("builtin.combine")) return InstructionKind::kCombine;
  if (op.is("builtin.split")) return InstructionKind::kSplit;
  if (op.is(kHostCall)) return InstructionKind::kHostCall;
  if (op.is(kHook)) return InstructionKind::kHook;
  if (op.is(kDetach)) return InstructionKind::kDetach;
  if (op.is(kWithHistory)) return InstructionKind::kWithHistory;
  if (op.is(kExtent)) return InstructionKind::kExtent;
  if (op.is("builtin.dims") || op.is("pd_op.full_int_array")) return InstructionKind::kDims;
  return InstructionKind::kOperator;
}

bool folds(const Use& use, const Value* v) {
  if (!use.op->def) return false;
  size_t operand = 0;
  for (const ArgSpec& arg : use.op->def->schema().args) {
    if (!is_operand(arg)) continue;
    if (operand++ != use.index) continue;
    Constant ignored;
    return constant_operand(v, arg, ignored);
  }
  return false;
}

}  // namespace

Interpreter::Interpreter(const std::vector<const Operation*>& operations,
                         const std::vector<Value*>& inputs, const std::vector<Value*>& outputs,
                         const std::vector<StateWrite>& state) {
  for (const Value* v : inputs) {
    if (has_symbol(v->type())) open_inputs_.push_back(inputs_.size());
    inputs_.push_back(register_of(v));
    input_types_.push_back(v->type());
  }
  wanted_.insert(outputs.begin(), outputs.end());
  for (const Operation* op : operations) {
    if (needed(*op)) compile(*op);
  }
  for (const Value* v : outputs) outputs_.push_back(v ? register_of(v) : -1);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    for (const auto& [reg, value] : constants_) {
      if (reg == outputs_[i]) shared_outputs_.emplace_back(i, value);
    }
  }
  compute_frees(outputs_);
  find_state(state);
  for (Instruction& in : instructions_) {
    for (const int r : in.results) {
      if (tracked_.contains(r)) in.tracked.push_back(r);
    }
  }
}

int Interpreter::register_of(const Value* v) {
  const auto [at, fresh] = registers_.emplace(v, num_registers_);
  if (fresh) ++num_registers_;
  return at->second;
}

bool Interpreter::needed(const Operation& op) const {
  if (op.has(kBoundary)) return false;
  if (!is_constant_maker(op)) return true;
  if (wanted_.contains(op.result())) return true;
  for (const Use& use : op.result()->uses()) {
    if (!folds(use, op.result())) return true;
  }
  return false;
}

void Interpreter::compile(const Operation& op) {
  if (op.is("builtin.constant")) {
    const Tensor& value = op.attribute("value").get<DenseValues>().tensor;
    constants_.emplace_back(register_of(op.result()), at_place(value, op.result()->type()));
    return;
  }
  if (op.record() && !op.def) return compile_external(op);
  if (is_if(op) || is_while(op)) return compile_regions(op);
  if (is_gradient(op)) return compile_gradient(op);
  if (kind_of(op) != InstructionKind::kOperator) return compile_plain(op);
  compile_operator(op);
}

void Interpreter::compile_plain(const Operation& op) {
  Instruction in;
  in.op = &op;
  in.kind = kind_of(op);
  if (in.kind == InstructionKind::kHostCall || in.kind == InstructionKind::kHook) {
    in.host = host_function(op.attribute("function").get<int64_t>());
  }
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Value* v = op.operand(i);
    in.inputs.push_back({static_cast<uint32_t>(i), v ? register_of(v) : -1});
  }
  for (size_t i = 0; i < op.num_results(); ++i) in.results.push_back(register_of(op.result(i)));
  instructions_.push_back(std::move(in));
}

void Interpreter::compile_operator(const Operation& op) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.def && op.regions().empty(), op.name(),
                    ": the program uses an operation that paddle cannot run. If it is of an "
                    "extension, load that first (paddle.utils.cpp_extension).");
  Instruction in;
  in.def = op.def;
  in.op = &op;
  const Schema& schema = op.def->schema();
  std::vector<Slot> slots(schema.args.size());
  std::deque<Constant> constants;
  size_t operand = 0;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const ArgSpec& arg = schema.args[i];
    const auto position = static_cast<uint32_t>(i);
    Constant& constant = constants.emplace_back();
    if (is_operand(arg)) {
      PADDLE_CHECK_VALUE(operand < op.num_operands(), op.name(), ": operand ", arg.name,
                         " is missing in the program.");
      const Value* v = op.operand(operand++);
      check_operand(op, arg, v);
      if (!v) continue;
      if (!constant_operand(v, arg, constant)) {
        in.inputs.push_back({position, register_of(v), !arg.optional});
        continue;
      }
    } else if (arg.type == ArgType::kPlace) {
      slots[i] = Slot::of(place_of(op, arg));
      continue;
    } else {
      const Attribute* a = op.find_attribute(arg.name);
      PADDLE_CHECK_VALUE(a || arg.has_default, op.name(), ": attribute ", arg.name,
                         " is missing in the program.");
      constant = a ? constant_of(arg, *a) : arg.default_value;
    }
    slots[i] = constant.slot();
    if (constant.kind == SlotKind::kInts && has_symbol(constant.ints)) {
      in.symbolic.push_back(position);
    }
  }
  in.constants = OwnedArgs(slots.data(), slots.size());
  for (size_t i = 0; i < op.num_results(); ++i) {
    in.results.push_back(register_of(op.result(i)));
    in.types.push_back(op.result(i)->type());
    in.binds = in.binds || has_symbol(op.result(i)->type());
  }
  instructions_.push_back(std::move(in));
}

Instruction::Body Interpreter::compile_body(const Block& block) {
  Instruction::Body body;
  std::vector<const Operation*> operations;
  std::vector<Value*> inputs;
  for (size_t i = 0; i < block.num_arguments(); ++i) inputs.push_back(block.argument(i));
  for (Value* v : free_values(block)) {
    // Constants are arguments of the body's own instructions.
    if (v->producer() && is_constant_maker(*v->producer())) {
      operations.push_back(v->producer());
      continue;
    }
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !v->type().is_vector(),
                      "program: a region uses a list of tensors from outside of it, which this "
                      "build cannot run.");
    inputs.push_back(v);
    body.outer.push_back(register_of(v));
  }
  for (const auto& op : block.operations()) {
    if (!op->has(kTerminator)) operations.push_back(op.get());
  }
  const Operation& last = *block.operations().back();
  body.program = std::make_unique<Interpreter>(operations, inputs, last.operands());
  return body;
}

void Interpreter::compile_regions(const Operation& op) {
  PADDLE_CHECK_VALUE(op.num_operands() >= 1, op.name(), ": the condition is missing.");
  Instruction in;
  in.op = &op;
  in.kind = is_if(op) ? InstructionKind::kIf : InstructionKind::kWhile;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Value* v = op.operand(i);
    PADDLE_CHECK_VALUE(v, op.name(), ": operand ", i, " is absent.");
    in.inputs.push_back({static_cast<uint32_t>(i), register_of(v)});
  }
  const auto argument = static_cast<uint32_t>(op.num_operands());
  for (const auto& region : op.regions()) {
    PADDLE_CHECK_VALUE(region->blocks().size() == 1 && !region->blocks()[0]->operations().empty() &&
                           region->blocks()[0]->operations().back()->is("cf.yield"),
                       op.name(), ": a region does not end in cf.yield.");
    in.bodies.push_back(compile_body(*region->blocks()[0]));
    for (const int r : in.bodies.back().outer) in.inputs.push_back({argument, r});
  }
  PADDLE_CHECK_VALUE(in.bodies.size() == (is_if(op) ? 2u : 1u), op.name(), ": ",
                     op.regions().size(), " regions stand where ", is_if(op) ? 2 : 1,
                     " are expected.");
  for (size_t i = 0; i < op.num_results(); ++i) in.results.push_back(register_of(op.result(i)));
  instructions_.push_back(std::move(in));
}

void Interpreter::compile_gradient(const Operation& op) {
  Instruction in;
  in.op = &op;
  in.kind = InstructionKind::kGradient;
  const auto targets = static_cast<size_t>(op.attribute("targets").get<int64_t>());
  const auto inputs = static_cast<size_t>(op.attribute("inputs").get<int64_t>());
  PADDLE_CHECK_VALUE(targets + inputs <= op.num_operands() && op.num_results() == inputs,
                     "cf.grad: the numbers of operands and results do not fit.");
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Value* v = op.operand(i);
    in.inputs.push_back({static_cast<uint32_t>(i), v ? register_of(v) : -1});
    if (i >= targets && i < targets + inputs) tracked_.insert(in.inputs.back().reg);
  }
  for (size_t i = 0; i < op.num_results(); ++i) in.results.push_back(register_of(op.result(i)));
  instructions_.push_back(std::move(in));
  num_recorded_ = instructions_.size();
}

void Interpreter::compute_frees(const std::vector<int>& kept) {
  std::vector<bool> seen(static_cast<size_t>(num_registers_), false);
  for (const int r : kept) {
    if (r >= 0) seen[static_cast<size_t>(r)] = true;
  }
  const auto last_use = [&](Instruction& in, int r) {
    if (r < 0 || seen[static_cast<size_t>(r)]) return;
    seen[static_cast<size_t>(r)] = true;
    in.frees.push_back(r);
    for (Instruction::Input& i : in.inputs) i.last_use |= i.reg == r;
  };
  for (auto in = instructions_.rbegin(); in != instructions_.rend(); ++in) {
    for (const int r : in->results) last_use(*in, r);
    for (const Instruction::Input& i : in->inputs) last_use(*in, i.reg);
  }
}

}  // namespace paddle::pir
