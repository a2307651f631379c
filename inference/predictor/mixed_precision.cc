// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// ConvertToMixedPrecision: parameters in 16 bits, widened by a cast where they are used.
#include <algorithm>

#include "inference/predictor/runner.h"
#include "pir/serialize/before_writing/file_forms.h"
#include "pir/serialize/before_writing/lower_extents.h"
#include "pir/serialize/format/file.h"

namespace paddle_infer {
namespace {

namespace pir = paddle::pir;
using Names = std::unordered_set<std::string>;
using Tensors = std::map<std::string, paddle::Tensor>;

bool may_convert(const pir::Value& parameter, const Names& black, const Names& white) {
  const pir::Type& type = parameter.type();
  if (!type.is_tensor() || type.dtype() != paddle::DType::kFloat32) return false;
  return std::all_of(parameter.uses().begin(), parameter.uses().end(), [&](const pir::Use& use) {
    const std::string name = use.op->name().substr(use.op->name().find('.') + 1);
    return !black.contains(name) && (white.empty() || white.contains(name));
  });
}

// Gives the parameter another element type and its readers a cast.
void narrow(pir::Value* parameter, paddle::DType dtype) {
  pir::Operation* producer = parameter->producer();
  const pir::Type wide = parameter->type();
  parameter->set_type(pir::Type::tensor(dtype, wide.shape()));
  pir::Builder builder(*producer->block());
  const auto after = std::next(producer->position());
  if (after != producer->block()->operations().end()) builder.set_before(after->get());
  pir::Operation* cast =
      builder.create("pd_op.cast", {parameter}, {wide}, {{"dtype", paddle::DType::kFloat32}});
  cast->def = pir::find_def("pd_op.cast");
  parameter->replace_all_uses_with(cast->result());
  cast->set_operand(0, parameter);
}

// Inputs and outputs of 32 bits have 16 outside, and casts behind and before them.
void narrow_interface(pir::Block& top, paddle::DType dtype) {
  const auto is_wide = [](const pir::Value* v) {
    return v->type().is_tensor() && v->type().dtype() == paddle::DType::kFloat32;
  };
  auto& ops = top.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    pir::Operation* op = (at++)->get();
    if (op->is("pd_op.data") && is_wide(op->result())) {
      narrow(op->result(), dtype);
      op->set_attribute("dtype", dtype);
    } else if (op->is("pd_op.fetch") && is_wide(op->operand(0))) {
      const pir::Type narrowed = pir::Type::tensor(dtype, op->operand(0)->type().shape());
      pir::Builder builder(top);
      builder.set_before(op);
      pir::Operation* cast =
          builder.create("pd_op.cast", {op->operand(0)}, {narrowed}, {{"dtype", dtype}});
      cast->def = pir::find_def("pd_op.cast");
      op->set_operand(0, cast->result());
      if (op->num_results() == 1) op->result()->set_type(narrowed);
    }
  }
}

// Gives what older programs became the spelling of files; false, with the program half written,
// where that would need an extent that no value before it has: any spelling runs here.
bool in_file_forms(pir::Program& program) {
  pir::to_file_forms(program.block());
  try {
    pir::lower_extents(program.block());
  } catch (const paddle::Error& e) {
    if (e.kind() != paddle::ErrorKind::kNotImplemented) throw;
    return false;
  }
  return true;
}

// Constants with values of their own become parameters: files hold no others.
void store_constants(pir::Block& top, pir::Block& block, Tensors& sorted) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    pir::Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) store_constants(top, *inner, sorted);
    }
    if (!op->is("builtin.constant")) continue;
    std::string name;
    for (size_t i = sorted.size(); name.empty() || sorted.contains(name); ++i) {
      name = paddle::str("constant_", i);
    }
    sorted[name] = op->attribute("value").get<pir::DenseValues>().tensor;
    pir::Builder builder(top);
    builder.set_before(top.operations().front().get());
    pir::Value* parameter =
        builder.create("builtin.parameter", {}, {op->result()->type()}, {{"name", name}})->result();
    parameter->persistable = true;
    op->result()->replace_all_uses_with(parameter);
    block.erase(op);
  }
}

}  // namespace

void ConvertToMixedPrecision(const std::string& model_file, const std::string& params_file,
                             const std::string& mixed_model_file,
                             const std::string& mixed_params_file, PrecisionType precision,
                             PlaceType, bool keep_io_types,
                             const std::unordered_set<std::string>& black_list,
                             const std::unordered_set<std::string>& white_list) {
  PADDLE_CHECK_VALUE(precision == PrecisionType::kHalf || precision == PrecisionType::kBf16,
                     "convert_to_mixed_precision: the precision must be Half or Bfloat16.");
  detail::start_library();
  const paddle::DType dtype =
      precision == PrecisionType::kHalf ? paddle::DType::kFloat16 : paddle::DType::kBFloat16;
  pir::LoadOptions options;
  options.as_stored = true;
  const auto load = [&] { return pir::load_program(model_file, params_file, options); };
  pir::SavedProgram program = load();
  const bool older = !pir::is_json_program(pir::read_file(model_file));
  if (older && !in_file_forms(*program.program)) program = load();
  Tensors sorted;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    paddle::Tensor& t = sorted[program.parameter_names[i]];
    t = program.parameters[i];
    if (!may_convert(*program.parameter_values[i], black_list, white_list)) continue;
    narrow(program.parameter_values[i], dtype);
    const paddle::Tensor narrowed = paddle::Tensor::empty(t.shape(), dtype);
    narrowed.copy_data_from(t);
    t = narrowed;
  }
  pir::Block& block = program.program->block();
  store_constants(block, block, sorted);
  if (!keep_io_types) narrow_interface(block, dtype);
  pir::write_file(mixed_model_file, pir::program_to_json(*program.program));
  if (sorted.empty()) return;
  paddle::TensorList tensors;
  for (const auto& [name, t] : sorted) tensors.push_back(t);
  pir::write_file(mixed_params_file, pir::tensors_to_records(tensors));
}

}  // namespace paddle_infer
