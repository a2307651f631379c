// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of recordings that go on by themselves. Tensors of the original stand for the values of
// the copy as well, as far as they were copied.
#include "pir/capture/copier.h"
#include "pir/dialect/control_flow.h"
#include "pir/transform/transform.h"

namespace paddle::pir {

Operations needed_by(const std::vector<Value*>& roots) {
  Operations needed;
  std::vector<const Operation*> open;
  const auto need = [&](const Value* v) {
    if (v && v->producer() && needed.insert(v->producer()).second) open.push_back(v->producer());
  };
  for (const Value* v : roots) need(v);
  while (!open.empty()) {
    const Operation* op = open.back();
    open.pop_back();
    for (const Value* v : op->operands()) need(v);
    for (const auto& region : op->regions()) {
      for (const auto& block : region->blocks()) {
        for (const Value* v : free_values(*block)) need(v);
      }
    }
  }
  return needed;
}

void keep_only(Block& block, const Operations& needed) {
  auto& ops = block.operations();
  for (auto at = ops.end(); at != ops.begin();) {
    Operation* op = (--at)->get();
    if (needed.contains(op)) continue;
    ++at;
    block.erase(op);
  }
}

namespace {

Value* copy_of(const ValueCopies& copies, const void* v) {
  const auto found = copies.find(static_cast<const Value*>(v));
  return found == copies.end() ? nullptr : found->second;
}

}  // namespace

void Values::adopt(const Values& other, ValueCopies copies) {
  const Captured& from = *other.context_.result;
  for (const Value* v : from.inputs) {
    if (Value* mine = copy_of(copies, v)) context_.result->inputs.push_back(mine);
  }
  for (const CapturedInput& c : from.captured) {
    CapturedInput mine = c;
    mine.value = copy_of(copies, c.value);
    if (!mine.value) continue;
    const size_t index = context_.result->captured.size();
    mine.value->producer()->set_attribute("index", static_cast<int64_t>(index));
    if (c.tensor.defined()) captured_index_[c.tensor.impl()] = index;
    context_.result->captured.push_back(std::move(mine));
  }
  for (const Tensor& t : other.inputs_) {
    if (copy_of(copies, other.own_value(t))) inputs_.push_back(t);
  }
  for (const Tensor& t : other.made_) {
    if (copy_of(copies, other.own_value(t))) made_.push_back(t);
  }
  for (const auto& [id, values] : other.sources_) {
    ValueCopies composed;
    for (const auto& [old, value] : values) {
      if (Value* mine = copy_of(copies, value)) composed.emplace(old, mine);
    }
    sources_.emplace_back(id, std::move(composed));
  }
  sources_.emplace_back(other.context_.id, std::move(copies));
}

void Writes::adopt(const std::vector<CapturedWrite>& writes, const ValueCopies& copies) {
  for (const CapturedWrite& w : writes) {
    if (Value* v = copy_of(copies, w.value)) written_[w.target.impl()] = {w.target, v};
  }
}

void Capture::adopt(const Capture& other, const std::vector<CapturedWrite>& writes,
                    ValueCopies copies) {
  const Captured& from = other.recorded();
  context_.result->host_functions = from.host_functions;
  context_.result->has_gradient = from.has_gradient;
  context_.result->facts = other.current_facts();
  context_.has_control_flow = other.context_.has_control_flow;
  context_.has_dynamic_extents = other.context_.has_dynamic_extents;
  writes_.adopt(writes, copies);
  gradients_.adopt(other.gradients_, copies);
  values_.adopt(other.values_, std::move(copies));
}

RecordingCopy Recording::copy(bool for_test, bool with_writes, const TensorList* targets) {
  RecordingCopy out{std::make_unique<Recording>(), {}};
  Recording& made = *out.recording;
  const Captured& all = capture_.recorded();
  Block& block = made.capture_.recorded().program->block();
  made.capture_.recorded().program->keep_symbols_of(*all.program);
  Copier copier(*made.capture_.recorded().program);
  Operations given;  // what first values are made with
  for (const auto& op : all.program->block().operations()) {
    Operation* mine = copier.copy(*op);
    if (for_test) set_to_inference(*mine);
    if (mine->num_results() == 0 && mine->num_operands() == 1)
      given.insert(op->operand(0)->producer());
    out.operations.emplace_back(op.get(), mine);
  }
  std::vector<CapturedWrite> writes;
  for (const CapturedWrite& w : capture_.writes().current()) {
    const bool first = given.contains(w.value->producer());
    if (!targets && (with_writes || first)) writes.push_back(w);
  }
  if (targets) {
    std::vector<Value*> roots;
    for (const Tensor& t : *targets) roots.push_back(copier.of(capture_.values().value_of(t)));
    const Operations needed = needed_by(roots);
    std::erase_if(out.operations, [&](const auto& pair) { return !needed.contains(pair.second); });
    keep_only(block, needed);
  }
  ValueCopies copies;
  for (const auto& [old, mine] : out.operations) {
    for (size_t i = 0; i < old->num_results(); ++i) copies[old->result(i)] = mine->result(i);
  }
  for (size_t i = 0; i < input_names_.size(); ++i) {
    if (copies.contains(all.inputs[i])) made.input_names_.push_back(input_names_[i]);
  }
  std::unordered_map<const Operation*, const Operation*> places(out.operations.begin(),
                                                                out.operations.end());
  for (const RecordedGradient& g : gradients_) {
    if (!places.contains(g.last)) continue;
    bool whole = true;
    const auto mapped = [&](const std::vector<Value*>& values) {
      std::vector<Value*> list;
      for (const Value* v : values) {
        const auto found = copies.find(v);
        whole = whole && (!v || found != copies.end());
        list.push_back(v && found != copies.end() ? found->second : nullptr);
      }
      return list;
    };
    RecordedGradient mine{places[g.last], mapped(g.targets), mapped(g.inputs), mapped(g.seeds),
                          mapped(g.results)};
    if (whole) made.gradients_.push_back(std::move(mine));
  }
  for (const Tensor& t : capture_.values().made()) {
    const auto found = copies.find(capture_.values().own_value(t));
    if (found != copies.end()) made.by_value_.emplace(found->second, t);
  }
  made.capture_.adopt(capture_, writes, std::move(copies));
  made.known_made_ = made.capture_.values().made().size();
  return out;
}

}  // namespace paddle::pir
