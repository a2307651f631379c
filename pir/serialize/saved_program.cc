// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A captured function as files, and files as a program that runs.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "pir/compiler_door/compiler_library.h"
#include "pir/serialize/after_reading/check_operands.h"
#include "pir/serialize/after_reading/legalize.h"
#include "pir/serialize/before_writing/file_forms.h"
#include "pir/serialize/before_writing/lower_extents.h"
#include "pir/serialize/format/file.h"
#include "pir/serialize/legacy_door/legacy_library.h"
#include "pir/serialize/serialize.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

// A saved program need not keep the position of the generator.
void drop_unused_draws(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) drop_unused_draws(*inner);
    }
    if (op->def && op->def->has(kRandom) && !op->used()) block.erase(op);
  }
}

void append_fetches(Block& block, const std::vector<Value*>& outputs) {
  Builder b(block);
  int32_t col = 0;
  for (Value* v : outputs) {
    Operation* op = b.create("pd_op.fetch", {v}, {v->type()},
                             {{"name", str("fetch_name_", col)}, {"col", col}});
    op->result()->persistable = true;
    ++col;
  }
}

struct FileProgram {
  std::unique_ptr<Program> program;
  bool older = false;           // of PaddlePaddle 2, translated
  int version = kSavedVersion;  // of the forms that operations have
};

// Programs of PaddlePaddle 2 are loaded to be evaluated.
FileProgram program_from_file(std::string_view content) {
  FileProgram out;
  out.older = !is_json_program(content);
  if (out.older) {
    out.program =
        legacy_library("program file: a program of PaddlePaddle 2").program_from_bytes(content);
    set_to_inference(out.program->block());
  } else {
    out.program = program_from_json(content, &out.version);
  }
  return out;
}

}  // namespace

void save_program(const Captured& captured, const std::string& prefix,
                  const std::vector<std::string>& names, const std::vector<size_t>* outputs) {
  PADDLE_CHECK_VALUE(names.size() == captured.captured.size(), "jit.save: ", names.size(),
                     " names were given for ", captured.captured.size(), " captured tensors.");
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, captured.input_grads.empty(),
                    "jit.save: a program with its gradient cannot be saved.");
  Block& block = captured.program->block();
  std::vector<Value*> fetched;
  for (size_t i = 0; outputs && i < outputs->size(); ++i) {
    PADDLE_CHECK_VALUE((*outputs)[i] < captured.outputs.size(), "jit.save: output ", (*outputs)[i],
                       " does not exist; the program has ", captured.outputs.size(), '.');
    fetched.push_back(captured.outputs[(*outputs)[i]]);
  }
  append_fetches(block, outputs ? fetched : captured.outputs);
  drop_unread_carriers(block);
  to_file_forms(block);
  lower_extents(block);
  drop_unused_draws(block);
  eliminate_dead_code(block);
  for (const Value* in : captured.inputs) {
    if (outputs && !in->used()) block.erase(in->producer());
  }
  std::map<std::string, Tensor> sorted;
  for (size_t i = 0; i < names.size(); ++i) {
    const CapturedInput& in = captured.captured[i];
    Operation* op = in.value->producer();
    if (!in.value->used()) {
      block.erase(op);
      continue;
    }
    op->set_attribute("name", names[i]);
    PADDLE_CHECK_VALUE(sorted.emplace(names[i], in.tensor).second,
                       "jit.save: two tensors have the name ", names[i], ".");
  }
  write_file(prefix + ".json", program_to_json(*captured.program));
  if (sorted.empty()) return;
  TensorList tensors;
  for (const auto& [name, t] : sorted) tensors.push_back(t);
  write_file(prefix + ".pdiparams", tensors_to_records(tensors));
}

namespace {

// What operators keep for themselves (the random state of recurrent layers).
void drop_unread_states(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    const bool state = op->is("builtin.parameter") && !op->result()->persistable;
    if (state && !op->result()->used()) block.erase(op);
  }
}

// Finds parameters, inputs and outputs of the program.
void find_interface(SavedProgram& out, bool as_stored) {
  for (const auto& op : out.program->block().operations()) {
    if (op->is("builtin.parameter")) {
      if (as_stored && !op->result()->persistable) continue;
      PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op->result()->persistable,
                        "program file: the program reads ",
                        op->attribute("name").get<std::string>(),
                        ", a state that no file holds; paddle cannot run it.");
      out.parameter_names.push_back(op->attribute("name").get<std::string>());
      out.parameter_values.push_back(op->result());
    } else if (const Attribute* of = op->find_attribute(kOffsetsOf)) {
      const auto position = static_cast<size_t>(of->get<int64_t>());
      const bool is_input = op->is("pd_op.data");
      PADDLE_CHECK_VALUE(
          is_input ? op->num_results() == 1 : op->num_operands() == 1 && op->operand(0),
          "program file: ", op->name(), " has other operands or results than expected.");
      (is_input ? out.input_offsets : out.output_offsets)
          .push_back({position, is_input ? op->result() : op->operand(0)});
    } else if (op->is("pd_op.data") || op->is("pd_op.feed")) {
      PADDLE_CHECK_VALUE(op->num_results() == 1 && op->result()->type().is_tensor(),
                         "program file: ", op->name(), " does not give one tensor.");
      out.input_names.push_back(op->attribute("name").get<std::string>());
      out.inputs.push_back(op->result());
    } else if (op->is("pd_op.fetch") || op->is("builtin.shadow_output")) {
      PADDLE_CHECK_VALUE(
          op->num_operands() == 1 && op->operand(0) && op->operand(0)->type().is_tensor(),
          "program file: a fetch has no operand that is one tensor.");
      out.output_names.push_back(op->attribute("name").get<std::string>());
      out.outputs.push_back(op->operand(0));
    }
  }
  for (const bool input : {true, false}) {
    const size_t count = input ? out.inputs.size() : out.outputs.size();
    for (const auto& levels : input ? out.input_offsets : out.output_offsets) {
      PADDLE_CHECK_VALUE(levels.of < count, "program file: offsets belong to ",
                         input ? "input " : "output ", levels.of, " of ", count, '.');
    }
  }
}

// Parameters lie in the file in the order of their names.
using ParameterOrder = std::map<std::string, size_t>;

ParameterOrder parameter_order(const SavedProgram& program) {
  ParameterOrder sorted;
  for (size_t i = 0; i < program.parameter_names.size(); ++i) {
    PADDLE_CHECK_VALUE(sorted.emplace(program.parameter_names[i], i).second,
                       "program file: parameter ", program.parameter_names[i],
                       " is declared twice.");
  }
  return sorted;
}

// The file of that name in the folder of a program; empty when there is none.
std::string file_beside(const std::string& program, const std::string& name) {
  const std::filesystem::path plain(name);
  if (plain.filename() != plain || name == "." || name == "..") return {};
  const std::filesystem::path file = std::filesystem::path(program).parent_path() / plain;
  std::error_code failed;
  return std::filesystem::is_regular_file(file, failed) ? file.string() : std::string();
}

// Files of PaddlePaddle 2 may hold fewer bits than their programs declare: those of quantised
// weights. The program reads what it declares.
void widen(Value* parameter, DType stored) {
  Operation* producer = parameter->producer();
  const Type declared = parameter->type();
  parameter->set_type(Type::tensor(stored, declared.shape(), declared.place()));
  Builder builder(*producer->block());
  const auto after = std::next(producer->position());
  if (after != producer->block()->operations().end()) builder.set_before(after->get());
  Operation* cast =
      builder.create("pd_op.cast", {parameter}, {declared}, {{"dtype", declared.dtype()}});
  cast->def = find_def("pd_op.cast");
  parameter->replace_all_uses_with(cast->result());
  cast->set_operand(0, parameter);
}

// Files of PaddlePaddle 2 may hold the same numbers with other axes of one element than their
// programs declare.
void give_axes(Tensor& stored, const Type& declared) {
  if (!declared.is_tensor() || stored.shape() == declared.shape()) return;
  const auto long_axes = [](const Shape& s) {
    std::vector<Dim> out;
    std::copy_if(s.begin(), s.end(), std::back_inserter(out),
                 [](const Dim& d) { return d != Dim(1); });
    return out;
  };
  if (long_axes(stored.shape()) != long_axes(declared.shape())) return;
  const Tensor same = Tensor::empty(declared.shape(), stored.dtype());
  std::memcpy(same.raw_data(), stored.raw_data(), stored.numel() * size_of(stored.dtype()));
  stored = same;
}

bool holds_fewer_bits(const Tensor& stored, const Type& declared) {
  const DType t = stored.dtype();
  return declared.is_tensor() && is_floating(declared.dtype()) && t != declared.dtype() &&
         (t == DType::kInt8 || t == DType::kInt16 || t == DType::kInt32 || t == DType::kFloat16 ||
          t == DType::kBFloat16);
}

void set_parameters(SavedProgram& out, const ParameterOrder& sorted, TensorList tensors,
                    bool older) {
  out.parameters.resize(sorted.size());
  size_t i = 0;
  for (const auto& [name, at] : sorted) {
    if (older) {
      give_axes(tensors[i], out.parameter_values[at]->type());
      if (holds_fewer_bits(tensors[i], out.parameter_values[at]->type())) {
        widen(out.parameter_values[at], tensors[i].dtype());
      }
    }
    const Type& type = out.parameter_values[at]->type();
    PADDLE_CHECK_VALUE(type.is_tensor() && tensors[i].dtype() == type.dtype() &&
                           tensors[i].shape() == type.shape(),
                       "jit.load: parameter ", name, " is ", Type::of(tensors[i]),
                       " in the parameter file and ", type, " in the program.");
    if (!(type.place() == tensors[i].place())) {
      Tensor moved = Tensor::empty(type.shape(), type.dtype(), type.place());
      moved.copy_data_from(tensors[i]);
      tensors[i] = moved;
    }
    tensors[i]->persistable = true;
    tensors[i]->name = new std::string(name);
    out.parameters[at] = tensors[i++];
  }
}

Tensor on_host(const Tensor& t) {
  if (t.place() == Place()) return t;
  Tensor copy = Tensor::empty(t.shape(), t.dtype());
  copy.copy_data_from(t);
  return copy;
}

// The parameters become constants of the program.
void freeze(SavedProgram& p) {
  Block& block = p.program->block();
  for (size_t i = 0; i < p.parameters.size(); ++i) {
    Operation* op = p.parameter_values[i]->producer();
    Builder b(block);
    b.set_before(op);
    Operation* constant = b.create("builtin.constant", {}, {p.parameter_values[i]->type()},
                                   {{"value", DenseValues{on_host(p.parameters[i])}}});
    p.parameter_values[i]->replace_all_uses_with(constant->result());
    block.erase(op);
  }
  p.parameters.clear();
  p.parameter_values.clear();
  p.parameter_names.clear();
}

template <typename ReadParameters>
SavedProgram load(FileProgram file, const LoadOptions& options, ReadParameters&& read) {
  SavedProgram out;
  out.program = std::move(file.program);
  const bool frozen = options.frozen && options.optimize && passes_enabled();
  if (!options.as_stored) {
    legalize(*out.program, file.version);
    check_operands(*out.program);
    drop_unread_states(out.program->block());
    resolve_extents(*out.program, /*through_values=*/frozen);
  }
  find_interface(out, options.as_stored);
  if (const ParameterOrder sorted = parameter_order(out); !sorted.empty()) {
    set_parameters(out, sorted, read(sorted), file.older);
  }
  if (options.as_stored) return out;
  if (frozen) freeze(out);
  if (options.optimize && options.passes) {
    run_passes(*options.passes, *out.program);
  } else if (options.optimize) {
    run_pipeline(!frozen            ? Pipeline::kLoaded
                 : options.bfloat16 ? Pipeline::kDeployedBfloat16
                                    : Pipeline::kDeployed,
                 *out.program, options.without);
  }
  if (frozen) {
    const CompilerScope scope(options.compiled || compiler_wanted());
    form_groups(out.program->block());
  }
  // A pass may have given an output another value.
  out.outputs.clear();
  out.output_offsets.clear();
  std::vector<const Operation*> operations;
  for (const auto& op : out.program->block().operations()) {
    operations.push_back(op.get());
    if (!op->is("pd_op.fetch") && !op->is("builtin.shadow_output")) continue;
    if (const Attribute* of = op->find_attribute(kOffsetsOf)) {
      out.output_offsets.push_back({static_cast<size_t>(of->get<int64_t>()), op->operand(0)});
    } else {
      out.outputs.push_back(op->operand(0));
    }
  }
  std::vector<Value*> inputs = out.inputs, outputs = out.outputs;
  for (auto& levels : out.input_offsets) {
    const auto& uses = levels.value->uses();
    levels.needed = std::any_of(uses.begin(), uses.end(),
                                [](const Use& use) { return !use.op->is("pd_op.fetch"); });
    inputs.push_back(levels.value);
  }
  for (const auto& levels : out.output_offsets) outputs.push_back(levels.value);
  inputs.insert(inputs.end(), out.parameter_values.begin(), out.parameter_values.end());
  out.interpreter = std::make_shared<Interpreter>(operations, inputs, outputs);
  return out;
}

}  // namespace

SavedProgram load_program(const std::string& path, const std::string& params,
                          const LoadOptions& options) {
  const std::string content = read_file(path);
  return load(program_from_file(content), options, [&](const ParameterOrder& sorted) {
    if (!params.empty()) return tensors_from_file(params, sorted.size());
    TensorList tensors;
    for (const auto& [name, at] : sorted) {
      const std::string file = file_beside(path, name);
      PADDLE_CHECK_VALUE(!file.empty(), "jit.load: the program of ", path, " has ", sorted.size(),
                         " parameters; their .pdiparams file does not exist, nor does a file ",
                         name, " for each of them.");
      tensors.push_back(tensors_from_file(file, 1)[0]);
    }
    return tensors;
  });
}

SavedProgram load_program_from_memory(std::string_view program, std::string_view params,
                                      const LoadOptions& options) {
  return load(program_from_file(program), options, [&](const ParameterOrder& sorted) {
    return tensors_from_records(params, sorted.size());
  });
}

SavedProgram operator_as_program(const OpDesc& op, const std::vector<VarDesc>& inputs) {
  const LegacyLibrary& library = legacy_library(str("operator ", op.type, ", of PaddlePaddle 2,"));
  LoadOptions options;
  options.optimize = false;
  return load(FileProgram{library.program_of_operator(op, inputs), true, kSavedVersion}, options,
              [](const ParameterOrder&) { return TensorList(); });
}

std::vector<std::string> translated_operators() {
  return legacy_library("the list of PaddlePaddle 2's operators").operator_names();
}

void SavedProgram::set_parameters(const TensorList& tensors) {
  PADDLE_CHECK_VALUE(tensors.size() == parameters.size(), "the loaded program has ",
                     parameters.size(), " parameters; ", tensors.size(), " were given.");
  for (size_t i = 0; i < tensors.size(); ++i) {
    PADDLE_CHECK_VALUE(
        tensors[i].dtype() == parameters[i].dtype() && tensors[i].shape() == parameters[i].shape(),
        "the loaded program: parameter ", parameter_names[i], " is ", Type::of(parameters[i]), "; ",
        Type::of(tensors[i]), " was given.");
  }
  parameters = tensors;
}

namespace {

// The offsets of the inputs as tensors. Each level ends at the number of parts of the next one, the
// last at that of the rows.
TensorList checked_offsets(const SavedProgram& p, const TensorList& given,
                           const std::vector<SequenceOffsets>& sequences) {
  TensorList all;
  size_t level = 0;
  const auto count = [&p](size_t of, bool only_needed) {
    return static_cast<size_t>(std::count_if(
        p.input_offsets.begin(), p.input_offsets.end(), [&](const SavedProgram::Offsets& levels) {
          return levels.of == of && (levels.needed || !only_needed);
        }));
  };
  for (size_t i = 0; i < p.input_offsets.size(); ++i, ++level) {
    const size_t of = p.input_offsets[i].of;
    if (i == 0 || p.input_offsets[i - 1].of != of) level = 0;
    const size_t needed = count(of, false);
    if ((of >= sequences.size() || sequences[of].empty()) && count(of, true) == 0) {
      all.emplace_back();
      continue;
    }
    PADDLE_CHECK_VALUE(of < sequences.size() && sequences[of].size() == needed,
                       "the loaded program: input ", p.input_names[of],
                       " holds sequences; set_lod([[0, 2, 5]]) says that its rows are one of 2 and "
                       "one of 3 (",
                       needed, " such lists are needed).");
    const std::vector<size_t>& offsets = sequences[of][level];
    const size_t rows =
        given[of].shape().empty() ? 1 : static_cast<size_t>(given[of].shape()[0].value());
    const size_t end = level + 1 < needed ? sequences[of][level + 1].size() - 1 : rows;
    PADDLE_CHECK_VALUE(!offsets.empty() && offsets.front() == 0 && offsets.back() == end &&
                           std::is_sorted(offsets.begin(), offsets.end()),
                       "the loaded program: level ", level, " of the sequences of input ",
                       p.input_names[of], " must go from 0 up to ", end, '.');
    Tensor t = Tensor::empty({Dim(static_cast<int64_t>(offsets.size()))}, DType::kInt64);
    std::copy(offsets.begin(), offsets.end(), t.data<int64_t>());
    all.push_back(std::move(t));
  }
  return all;
}

// Takes the offsets off the end of the results.
void take_offsets(const SavedProgram& p, TensorList& results, std::vector<SequenceOffsets>* made) {
  const size_t n = p.outputs.size();
  if (made) made->assign(n, {});
  for (size_t i = 0; made && i < p.output_offsets.size(); ++i) {
    if (!results[n + i].defined()) continue;  // those of an input that was given none
    const Tensor t = results[n + i].contiguous_copy_if_needed();
    PADDLE_CHECK_VALUE(t.dtype() == DType::kInt64, "program file: the offsets of output ",
                       p.output_names[p.output_offsets[i].of], " have dtype ", t.dtype(), '.');
    (*made)[p.output_offsets[i].of].emplace_back(t.data<int64_t>(), t.data<int64_t>() + t.numel());
  }
  results.resize(n);
}

}  // namespace

TensorList SavedProgram::run(const TensorList& given, const std::vector<SequenceOffsets>& sequences,
                             std::vector<SequenceOffsets>* made) const {
  PADDLE_CHECK_VALUE(given.size() == inputs.size(), "the loaded program takes ", inputs.size(),
                     " inputs; ", given.size(), " were given.");
  TensorList all = given;
  for (size_t i = 0; i < given.size(); ++i) {
    const DType wanted = inputs[i]->type().dtype();
    // Whole numbers of fewer bits, as NumPy makes them on some systems.
    if (given[i].dtype() == DType::kInt32 && wanted == DType::kInt64) {
      all[i] = Tensor::empty(given[i].shape(), wanted);
      all[i].copy_data_from(given[i]);
    }
    PADDLE_CHECK_VALUE(all[i].dtype() == wanted, "the loaded program: input ", input_names[i],
                       " has dtype ", given[i].dtype(), "; it needs ", wanted, '.');
  }
  if (!input_offsets.empty()) {
    const TensorList offsets = checked_offsets(*this, given, sequences);
    all.insert(all.end(), offsets.begin(), offsets.end());
  }
  all.insert(all.end(), parameters.begin(), parameters.end());
  const bool recorded =
      capture_sink() || (grad_enabled() && std::any_of(all.begin(), all.end(), [](const Tensor& t) {
                           return t.defined() && !t->stop_gradient;
                         }));
  SymbolValues symbols;
  TensorList results = recorded ? interpreter->run_recorded(all, &symbols) : interpreter->run(all);
  take_offsets(*this, results, made);
  for (size_t i = 0; i < results.size(); ++i) {
    PADDLE_CHECK_VALUE(results[i].defined(), "the loaded program: output ", output_names[i],
                       " is a result that its operator leaves out.");
  }
  return results;
}

}  // namespace paddle::pir
