// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Summaries of both formats.
#include "pir/serialize/inspect.h"

#include <set>

#include "pir/dialect/dialect.h"
#include "pir/serialize/after_reading/adopt.h"
#include "pir/serialize/after_reading/unknown_operations.h"
#include "pir/serialize/format/file.h"
#include "pir/serialize/legacy_door/legacy_library.h"
#include "pir/serialize/serialize.h"

namespace paddle::pir {
namespace {

ModelSummary::Entry entry(const std::string& name, const Type& type) {
  ModelSummary::Entry out{name, type.dtype(), {}};
  for (const Dim d : type.shape()) out.shape.push_back(d.is_symbolic() ? -1 : d.value());
  return out;
}

std::string text_of(const Operation& op, const char* attribute) {
  const Attribute* a = op.find_attribute(attribute);
  return a && a->is(Attribute::Kind::kString) ? a->get<std::string>() : std::string();
}

// Operations without a record that loading or running knows all the same.
bool is_known_form(const Operation& op, int version) {
  if (op.is("builtin.combine") || op.is("builtin.split") || op.is("builtin.constant") ||
      op.is("cf.yield")) {
    return true;
  }
  return op.name().starts_with("pd_op.") && (!is_unknown(op, version) || can_expand(op));
}

void count(const Block& block, ModelSummary& out, std::set<std::string>& missing) {
  for (const auto& op : block.operations()) {
    const std::string& name = op->name();
    if (op->is("builtin.parameter")) {
      out.parameters.push_back(entry(text_of(*op, "name"), op->result()->type()));
    } else if (op->is("pd_op.data")) {
      PADDLE_CHECK_VALUE(op->num_results() == 1, "program file: pd_op.data has ", op->num_results(),
                         " results.");
      out.inputs.push_back(entry(text_of(*op, "name"), op->result()->type()));
    } else if (op->is("pd_op.fetch") || op->is("builtin.shadow_output")) {
      const Value* v = op->num_operands() ? op->operand(0) : nullptr;
      out.outputs.push_back(entry(text_of(*op, "name"), v ? v->type() : Type()));
    } else {
      if (!op->def && !is_known_form(*op, static_cast<int>(out.version))) missing.insert(name);
      const bool quiet = name.starts_with("builtin.") || name.starts_with("cf.") ||
                         op->is("pd_op.full") || op->is("pd_op.full_int_array");
      if (!quiet) ++out.operators[name.substr(name.find('.') + 1)];
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) count(*inner, out, missing);
    }
  }
}

void summarize(const Program& program, ModelSummary& out) {
  std::set<std::string> missing;
  count(program.block(), out, missing);
  out.missing.assign(missing.begin(), missing.end());
}

}  // namespace

ModelSummary inspect_model(const std::string& path) { return inspect_program(read_file(path)); }

ModelSummary inspect_program(std::string_view content) {
  ModelSummary out;
  if (is_json_program(content)) {
    out.format = "PaddlePaddle 3 (.json)";
    int version = 0;
    const std::unique_ptr<Program> program = program_from_json(content, &version);
    out.version = version;
    adopt_operators(*program, version);
    summarize(*program, out);
    return out;
  }
  out.format = "PaddlePaddle 2 (.pdmodel)";
  legacy_library("program file: a program of PaddlePaddle 2").summarize(content, out);
  return out;
}

}  // namespace paddle::pir
