// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walking the blocks of an old program: parameters, inputs, operators in order, outputs.
#include "pir/legacy/translate.h"

#include <algorithm>

#include "pir/legacy/arrays.h"

namespace paddle::pir {
namespace {

bool is_boundary(const OpDesc& op) { return op.type == "feed" || op.type == "fetch"; }

int64_t column(const OpDesc& op) {
  const auto at = op.attributes.find("col");
  return at == op.attributes.end() || at->second.ints.empty() ? 0 : at->second.ints[0];
}

const std::string& only(const OpDesc& op,
                        const std::map<std::string, std::vector<std::string>, std::less<>>& slots,
                        std::string_view slot) {
  const auto at = slots.find(slot);
  PADDLE_CHECK_VALUE(at != slots.end() && at->second.size() == 1, "program file: ", op.type,
                     " must name one variable in ", slot, '.');
  return at->second[0];
}

}  // namespace

std::vector<const OpDesc*> sorted_by_column(const BlockDesc& block, std::string_view type) {
  std::vector<const OpDesc*> found;
  for (const OpDesc& op : block.ops) {
    if (op.type == type) found.push_back(&op);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const OpDesc* a, const OpDesc* b) { return column(*a) < column(*b); });
  return found;
}

const BlockDesc& Translator::block_desc(int64_t index) const {
  PADDLE_CHECK_VALUE(index >= 0 && index < static_cast<int64_t>(desc_.blocks.size()),
                     "program file: block ", index, " is used; there are ", desc_.blocks.size(),
                     " blocks.");
  return desc_.blocks[static_cast<size_t>(index)];
}

const VarDesc* Translator::declared(const std::string& variable) const {
  for (const BlockDesc* block : {current_, &desc_.blocks.front()}) {
    if (!block) continue;
    const auto at = block->vars.find(variable);
    if (at != block->vars.end()) return &at->second;
  }
  return nullptr;
}

Value* Translator::find(const std::string& variable) const {
  const auto at = values_.find(variable);
  return at == values_.end() ? nullptr : at->second;
}

Value* Translator::read(const std::string& variable, const std::string& reader) const {
  Value* v = find(variable);
  PADDLE_CHECK_VALUE(v, "program file: ", reader, " reads variable ", variable,
                     ", which no operator before it defines.");
  return v;
}

std::vector<Value*> Translator::array(const std::string& variable,
                                      const std::string& reader) const {
  std::vector<Value*> parts;
  bool fits = true;  // files may name tensors like this
  while (Value* v = find(part_of_array(variable, parts.size()))) {
    const Type& t = v->type();
    const size_t rank = parts.size() == 1 ? 2 : 1;
    fits = fits && t.is_tensor() && t.shape().size() == rank &&
           (rank == 1 || !t.shape()[1].is_symbolic());
    parts.push_back(v);
  }
  PADDLE_CHECK_VALUE(fits && parts.size() >= 2, "program file: ", reader, " reads ", variable,
                     ", which is no array that the program defines.");
  return parts;
}

void Translator::write_array(const std::string& variable, const std::vector<Value*>& parts) {
  for (size_t k = 0; k < parts.size(); ++k) write(part_of_array(variable, k), parts[k]);
}

// What the first operator that writes the array says of it; old exporters leave the variable bare.
size_t Translator::rank_of_elements(const std::string& array, size_t said) const {
  for (const BlockDesc& block : desc_.blocks) {
    for (const OpDesc& op : block.ops) {
      if (op.type != "write_to_array") continue;
      const auto out = op.outputs.find("Out"), x = op.inputs.find("X");
      if (out == op.outputs.end() || out->second != std::vector<std::string>{array}) continue;
      if (x == op.inputs.end() || x->second.size() != 1) continue;
      for (const BlockDesc* in : {&block, &desc_.blocks.front()}) {
        const auto var = in->vars.find(x->second[0]);
        if (var != in->vars.end()) return var->second.dims.size();
      }
    }
  }
  return said;
}

void Translator::rollback(size_t mark) {
  for (; changes_.size() > mark; changes_.pop_back()) {
    values_[changes_.back().first] = changes_.back().second;
  }
}

std::vector<Value*> Translator::offsets_of(const std::string& variable) const {
  std::vector<Value*> levels;
  while (Value* v = has_offsets_ ? find(part_of_offsets(variable, levels.size())) : nullptr) {
    levels.push_back(v);
  }
  return levels;
}

void Translator::write_offsets(const std::string& variable, const std::vector<Value*>& levels) {
  has_offsets_ = has_offsets_ || !levels.empty();
  for (size_t level = 0; level < levels.size(); ++level) {
    write(part_of_offsets(variable, level), levels[level]);
  }
  // What it had of more levels is gone; of one level the name is written even when it has none.
  write(part_of_offsets(variable, levels.size()), nullptr);
}

// Outputs of an operator that says nothing of offsets are made of the rows of its first input that
// has some.
void Translator::pass_offsets(const OpDesc& op, size_t mark) {
  static const std::set<std::string_view> kOtherRows = {
      "transpose", "transpose2", "shape",       "one_hot_v2", "unsqueeze",      "unsqueeze2",
      "gather",    "gather_nd",  "where_index", "range",      "stack",          "unstack",
      "roi_align", "roi_pool",   "psroi_pool",  "prroi_pool", "multiclass_nms", "im2sequence"};
  if (!has_offsets_ || op.attributes.contains("sub_block")) return;
  std::set<std::string> written;
  for (size_t i = mark; i < changes_.size(); ++i) written.insert(changes_[i].first);
  std::vector<Value*> levels;
  const Value* rows = nullptr;
  const auto take = [&](const std::vector<std::string>& names) {
    if (names.empty() || !levels.empty()) return;
    levels = offsets_of(names[0]);
    if (!levels.empty()) rows = find(names[0]);
  };
  if (!kOtherRows.contains(op.type)) {
    for (const char* first : {"X", "Input", "Ids"}) {
      if (const auto at = op.inputs.find(first); at != op.inputs.end()) take(at->second);
    }
    for (const auto& [slot, names] : op.inputs) take(names);
  }
  const auto fits = [&](const Value* v) {
    if (!v || !v->type().is_tensor() || v->type().shape().empty()) return false;
    if (!rows || !rows->type().is_tensor() || rows->type().shape().empty()) return false;
    const Dim a = v->type().shape()[0], b = rows->type().shape()[0];
    return a.is_symbolic() || b.is_symbolic() || a == b;
  };
  for (const auto& [slot, names] : op.outputs) {
    for (const std::string& name : names) {
      if (written.contains(part_of_offsets(name, 0))) continue;
      if (fits(find(name))) {
        write_offsets(name, levels);
      } else if (!offsets_of(name).empty()) {
        write_offsets(name, {});
      }
    }
  }
}

Type Translator::type_of(const VarDesc& var, bool keep_known) {
  PADDLE_CHECK_VALUE(var.is_tensor() && var.dtype != DType::kUndefined, "program file: variable ",
                     var.name, " is no tensor of a known data type.");
  Shape shape;
  for (const int64_t d : var.dims) {
    shape.push_back(keep_known && d >= 0 ? Dim(d) : symbols_.fresh());
  }
  return Type::tensor(var.dtype, shape);
}

void Translator::check_operators() const {
  std::set<std::string> unknown;
  for (const BlockDesc& block : desc_.blocks) {
    for (const OpDesc& op : block.ops) {
      if (!is_boundary(op) && !TranslationTable::get().contains(op.type)) unknown.insert(op.type);
    }
  }
  if (unknown.empty()) return;
  std::string names;
  for (const std::string& name : unknown) names += (names.empty() ? "" : ", ") + name;
  throw_error(ErrorKind::kNotImplemented,
              str("program file: paddle cannot run the PaddlePaddle 2 operators ", names,
                  "; export the model again from its source with paddle.jit.save."));
}

// All persistable tensors, used or not: the parameter file holds them all.
void Translator::parameters(Block& into) {
  Builder b(into);
  for (const auto& [name, var] : desc_.blocks.front().vars) {
    if (!var.persistable || !var.is_tensor()) continue;
    for (const int64_t d : var.dims) {
      PADDLE_CHECK_VALUE(d >= 0, "program file: parameter ", name, " has the unknown extent ", d,
                         '.');
    }
    Operation* op =
        b.create("builtin.parameter", {}, {type_of(var, true)}, {{"name", std::string(name)}});
    op->result()->persistable = true;
    write(name, op->result());
  }
}

// What the exporter's variable says about extents binds nobody: inputs of any extents run.
void Translator::feeds(Block& into) {
  std::set<std::string> seen;
  for (const OpDesc* op : sorted_by_column(desc_.blocks.front(), "feed")) {
    const std::string& name = only(*op, op->outputs, "Out");
    const VarDesc* var = declared(name);
    PADDLE_CHECK_VALUE(var && !var->persistable && seen.insert(name).second, "program file: input ",
                       name, " is not declared, is a parameter or is fed twice.");
    feed(into, *var, /*keep_known=*/false);
  }
  int64_t position = 0;
  for (const OpDesc* op : sorted_by_column(desc_.blocks.front(), "feed")) {
    const std::string& name = only(*op, op->outputs, "Out");
    feed_offsets(into, name, declared(name)->levels, position++);
  }
}

void Translator::feed_offsets(Block& into, const std::string& name, int64_t levels,
                              int64_t position) {
  std::vector<Value*> values;
  for (int64_t level = 0; level < levels; ++level) {
    const Shape shape{symbols_.fresh()};
    Operation* data = Builder(into).create("pd_op.data", {}, {Type::tensor(DType::kInt64, shape)},
                                           {{"name", part_of_offsets(name, values.size())},
                                            {"shape", shape},
                                            {"dtype", DType::kInt64},
                                            {"place", Place()},
                                            {kOffsetsOf, position}});
    values.push_back(data->result());
  }
  if (!values.empty()) write_offsets(name, values);
}

void Translator::fetch_offsets(Builder& b, const std::string& name, int64_t position) {
  for (Value* v : offsets_of(name)) {
    Operation* made = b.create("pd_op.fetch", {v}, {v->type()},
                               {{"name", name}, {"col", int32_t{0}}, {kOffsetsOf, position}});
    made->result()->persistable = true;
  }
}

void Translator::feed(Block& into, const VarDesc& var, bool keep_known) {
  const Type type = type_of(var, keep_known);
  Operation* data = Builder(into).create(
      "pd_op.data", {}, {type},
      {{"name", var.name}, {"shape", type.shape()}, {"dtype", var.dtype}, {"place", Place()}});
  write(var.name, data->result());
}

void Translator::fetch(Builder& b, const std::string& name, Value* v, int32_t col) {
  PADDLE_CHECK_VALUE(v->type().is_tensor(), "program file: output ", name, " is no tensor.");
  Operation* made = b.create("pd_op.fetch", {v}, {v->type()}, {{"name", name}, {"col", col}});
  made->result()->persistable = true;
}

void Translator::fetches(Block& into) {
  Builder b(into);
  int32_t col = 0;
  for (const OpDesc* op : sorted_by_column(desc_.blocks.front(), "fetch")) {
    const std::string& name = only(*op, op->inputs, "X");
    fetch(b, name, read(name, "fetch"), col++);
  }
  int64_t position = 0;
  for (const OpDesc* op : sorted_by_column(desc_.blocks.front(), "fetch")) {
    fetch_offsets(b, only(*op, op->inputs, "X"), position++);
  }
  PADDLE_CHECK_VALUE(col > 0, "program file: no operator fetches an output.");
}

// Arrays are there, empty, before something writes them.
void Translator::arrays(const BlockDesc& desc, Builder& builder) {
  const OpDesc creation{"create_array", {}, {}, {}};
  OpTranslation make(*this, creation, builder);
  for (const auto& [name, var] : desc.vars) {
    if (!var.is_array()) continue;
    write_array(name, empty_array(make, var.dtype, rank_of_elements(name, var.dims.size())));
  }
}

void Translator::block(int64_t index, Block& into) {
  const BlockDesc& desc = block_desc(index);
  PADDLE_CHECK_VALUE(done_.insert(index).second, "program file: block ", index,
                     " is used more than once.");
  const BlockDesc* outer = current_;
  current_ = &desc;
  Builder builder(into);
  arrays(desc, builder);
  for (const OpDesc& op : desc.ops) {
    if (is_boundary(op)) continue;
    OpTranslation translation(*this, op, builder);
    const size_t mark = changes_.size();
    TranslationTable::get().translate(translation);
    pass_offsets(op, mark);
  }
  current_ = outer;
}

void Translator::run() {
  check_operators();
  Block& block = program_.block();
  parameters(block);
  feeds(block);
  this->block(0, block);
  fetches(block);
}

void Translator::run_operator(const std::vector<VarDesc>& inputs) {
  check_operators();
  Block& into = program_.block();
  for (const VarDesc& var : inputs) {
    feed(into, var, /*keep_known=*/true);
    has_offsets_ = has_offsets_ || var.name.ends_with(part_of_offsets("", 0));
  }
  block(0, into);
  Builder b(into);
  int32_t col = 0;
  for (const auto& [slot, names] : desc_.blocks.front().ops.front().outputs) {
    for (const std::string& name : names) {
      if (Value* v = find(name)) fetch(b, name, v, col++);
      const std::vector<Value*> levels = offsets_of(name);
      for (size_t i = 0; i < levels.size(); ++i) {
        fetch(b, part_of_offsets(name, i), levels[i], col++);
      }
    }
  }
}

std::unique_ptr<Program> program_of_operator(const OpDesc& op, const std::vector<VarDesc>& inputs) {
  ProgramDesc desc;
  BlockDesc& block = desc.blocks.emplace_back();
  for (const VarDesc& var : inputs) block.vars.emplace(var.name, var);
  block.ops.push_back(op);
  auto program = std::make_unique<Program>();
  Translator(desc, *program).run_operator(inputs);
  return program;
}

std::unique_ptr<Program> program_from_desc(const ProgramDesc& desc) {
  auto program = std::make_unique<Program>();
  Translator(desc, *program).run();
  return program;
}

}  // namespace paddle::pir
