// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of segments, and finding them again.
#include "pir/segment/segment.h"

#include <algorithm>

#include "pir/capture/captured.h"
#include "pir/compiler_door/compiler_library.h"
#include "pir/dialect/runtime_value.h"
#include "pir/segment/describe.h"

namespace paddle::pir {
namespace {

// Structures and sizes of one function for which programs are made.
constexpr size_t kMostSegments = 128;
// Hits in a row after which pays() trusts what it has seen.
constexpr size_t kTrustedHits = 8;
// Bytes read from outside per call from which on the time to record a call does not count.
constexpr size_t kLargeCall = 16 << 10;

uint64_t mix(uint64_t h, const Words& words) {
  h ^= words.size();
  for (const uint64_t w : words) {
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

// The shape of an input, taken from the extents of all.
Shape take_shape(const Words& extents, size_t& at, size_t rank) {
  Shape shape;
  for (size_t i = 0; i < rank; ++i) shape.push_back(Dim(static_cast<int64_t>(extents[at++])));
  return shape;
}

size_t rank_of(uint64_t input) { return (input >> 8) & 0xff; }

// Of all inputs together.
size_t bytes_of(const SegmentKey& key) {
  size_t bytes = 0, at = 0;
  for (const uint64_t input : key.inputs) {
    size_t elements = 1;
    for (size_t d = 0; d < rank_of(input); ++d) elements *= key.extents[at++];
    bytes += elements * size_of(static_cast<DType>(input & 0xff));
  }
  return bytes;
}

// Of an input, as Recorder::describe_inputs() writes it.
Place place_of(uint64_t input) {
  Place place;
  place.kind = static_cast<DeviceKind>(input >> 24 & 0xff);
  place.index = static_cast<int16_t>(input >> 32 & 0xffff);
  place.custom_type = static_cast<uint8_t>(input >> 48);
  return place;
}

// Builds the operations of a segment.
class ProgramBuilder {
 public:
  ProgramBuilder(Program& program, const SegmentKey& key)
      : key_(key), builder_(program.block()), metas_(key.num_values), values_(key.num_values) {}

  void add_input(size_t i, const Type& type) {
    const ValueId id = key_.input_ids[i];
    Operation* op =
        builder_.create("builtin.parameter", {}, {type}, {{"index", static_cast<int64_t>(i)}});
    define(id, Tensor::meta(type.shape(), type.dtype(), type.place()), op->result());
  }

  void add_calls() {
    DecodedCall call;
    for (size_t at = 0; at < key_.calls.size();) {
      at = decode(key_.calls, at, call, [this](ValueId id) -> const Tensor& { return metas_[id]; });
      add(call);
    }
  }

  Value* value(ValueId id) const { return values_[id]; }

 private:
  void define(ValueId id, Tensor meta, Value* value) {
    meta->set_contiguous_layout();
    meta->strides.clear();
    by_impl_[meta.impl()] = value;
    metas_[id] = std::move(meta);
    values_[id] = value;
  }

  void add(const DecodedCall& call) {
    Outputs outs;
    infer_results(*call.op, call.slots.data(), outs);
    PADDLE_ASSERT(outs.size() == call.num_results);
    Operation* made = build_operation(builder_, *call.op, call.slots.data(), outs,
                                      [this](const Tensor& t) { return by_impl_.at(t.impl()); });
    if (call.op->list_result) {
      std::vector<Type> types = made->result()->type().elements();
      made = builder_.create("builtin.split", {made->result()}, std::move(types));
    }
    for (uint32_t k = 0; k < call.num_results; ++k) {
      if (outs[k].defined()) define(call.first_result + k, outs[k], made->result(k));
    }
  }

  const SegmentKey& key_;
  Builder builder_;
  TensorList metas_;
  std::vector<Value*> values_;
  std::unordered_map<const TensorImpl*, Value*> by_impl_;
};

}  // namespace

uint64_t SegmentKey::structure() const { return mix(mix(mix(0, calls), inputs), wanted); }

bool SegmentKey::same_structure(const SegmentKey& other) const {
  return calls == other.calls && inputs == other.inputs && wanted == other.wanted;
}

void SegmentKey::clear() {
  for (Words* words : {&calls, &inputs, &wanted, &extents}) words->clear();
  input_ids.clear();
  wanted_ids.clear();
  num_values = num_calls = 0;
}

void Segment::compile(const std::vector<bool>& varying) {
  SymbolScope scope;
  Captured made;
  made.program = std::make_unique<Program>();
  made.program->keep_symbols(scope.owner());
  ProgramBuilder builder(*made.program, key_);
  std::vector<Value*> inputs;
  std::vector<Type> types;
  size_t at = 0;
  for (size_t i = 0; i < key_.inputs.size(); ++i) {
    const size_t first = at;
    Shape shape = take_shape(key_.extents, at, rank_of(key_.inputs[i]));
    for (size_t d = 0; d < shape.size(); ++d) {
      if (varying[first + d]) shape[d] = scope.fresh(shape[d].value());
    }
    types.push_back(
        Type::tensor(static_cast<DType>(key_.inputs[i] & 0xff), shape, place_of(key_.inputs[i])));
    builder.add_input(i, types.back());
    inputs.push_back(builder.value(key_.input_ids[i]));
  }
  builder.add_calls();
  for (const ValueId id : key_.wanted_ids) made.outputs.push_back(builder.value(id));
  made.num_forward = made.program->num_operations();
  optimize(made);
  grouping_ = std::move(made.grouping);
  std::vector<const Operation*> operations;
  for (const auto& op : made.program->block().operations()) operations.push_back(op.get());
  interpreter_ = std::make_unique<Interpreter>(operations, inputs, made.outputs);
  program_ = std::move(made.program);
  varying_ = varying;
  types_ = std::move(types);
  facts_ = scope.facts();
}

bool Segment::serves(const Words& extents) const {
  if (!compiled()) return extents == key_.extents;
  bool equal = true;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == key_.extents[i]) continue;
    if (!varying_[i]) return false;
    equal = false;
  }
  if (equal || facts_.empty()) return true;
  SymbolValues symbols;
  size_t at = 0;
  for (const Type& type : types_) {
    for (const Dim d : type.shape()) {
      const auto extent = static_cast<int64_t>(extents[at++]);
      if (d.is_symbolic()) symbols.emplace(d.symbol_id(), extent);
    }
  }
  return std::all_of(facts_.begin(), facts_.end(),
                     [&](const SymbolFact& fact) { return holds(fact, symbols); });
}

std::vector<std::string> Segment::guards() const {
  std::vector<std::string> list;
  for (const SymbolFact& fact : facts_) list.push_back(str(fact));
  return list;
}

size_t Segment::num_operations() const { return interpreter_->num_instructions(); }

std::string Segment::text() const { return print(*program_); }

std::vector<std::shared_ptr<ReportedGroup>> Segment::groups() const {
  return reported_groups(program_->block());
}

// -- the cache ---------------------------------------------------------------------------------

std::shared_ptr<const Segment> SegmentCache::find(const SegmentKey& key, SegmentReport* report) {
  const std::lock_guard lock(mutex_);
  const CompilerScope compiling(compiled.value_or(compiler_wanted()));
  ++runs_;
  auto& known = by_structure_[key.structure()];
  std::erase_if(known, [&](const auto& s) { return !s->key().same_structure(key); });
  for (const auto& segment : known) {
    if (!segment->serves(key.extents)) continue;
    if (report) report->how = "reused";
    if (!segment->compiled()) {
      segment->compile(std::vector<bool>(key.extents.size(), false));
      if (report) report->how = "compiled";
      hits_in_a_row_ = 0;
    }
    ++hits_in_a_row_;
    recorded_ += key.num_calls;
    performed_ += segment->num_operations();
    bytes_ += bytes_of(key);
    if (report) {
      report->guards = segment->guards();
      report->program_operations = segment->num_operations();
      report->decisions = segment->decisions();
      report->groups = segment->groups();
    }
    return segment;
  }
  hits_in_a_row_ = recorded_ = performed_ = bytes_ = 0;
  return add(key, known, report);
}

std::shared_ptr<Segment> SegmentCache::add(const SegmentKey& key,
                                           std::vector<std::shared_ptr<Segment>>& known,
                                           SegmentReport* report) {
  if (report) {
    report->how = "run call by call";
    report->anew = known.empty() ? difference(key) : describe_sizes(known.back()->key(), key);
  }
  if (count_ >= kMostSegments) {
    ++refused_;
    return nullptr;
  }
  ++count_;
  auto segment = std::make_shared<Segment>(key);
  if (known.empty()) {
    known.push_back(segment);
    return nullptr;  // compiled when it comes up again
  }
  const Words& before = known.back()->key().extents;
  std::vector<bool> varying(key.extents.size());
  for (size_t i = 0; i < varying.size(); ++i) varying[i] = before[i] != key.extents[i];
  try {
    segment->compile(varying);
  } catch (const Error&) {  // a rule that needs numbers: this size gets a program of its own
    segment = std::make_shared<Segment>(key);
    segment->compile(std::vector<bool>(varying.size(), false));
  }
  known.push_back(segment);
  if (report) {
    report->how = "compiled";
    report->guards = segment->guards();
    report->program_operations = segment->num_operations();
    report->decisions = segment->decisions();
    report->groups = segment->groups();
  }
  return segment;
}

// Why a segment is new: the first call in which it differs from the most similar one.
std::string SegmentCache::difference(const SegmentKey& key) const {
  const SegmentKey* closest = nullptr;
  size_t most = 0;
  for (const auto& [structure, list] : by_structure_) {
    for (const auto& segment : list) {
      const size_t common = common_calls(segment->key(), key);
      if (!closest || common > most) closest = &segment->key();
      most = std::max(most, common);
    }
  }
  if (!closest || most == 0) return count_ == 0 ? "first call" : "no known segment begins so";
  return describe_difference(*closest, key);
}

size_t SegmentCache::size() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool SegmentCache::is_full() const {
  const std::lock_guard lock(mutex_);
  return refused_ > 0;
}

bool SegmentCache::pays() const {
  const std::lock_guard lock(mutex_);
  if (refused_ > kTrustedHits) return false;
  if (hits_in_a_row_ < kTrustedHits) return true;
  const size_t saved = recorded_ > performed_ ? recorded_ - performed_ : 0;
  return bytes_ >= recorded_ * kLargeCall ? saved > 0 : saved * 3 > recorded_;
}

std::vector<std::string> SegmentCache::programs() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  for (const auto& [structure, list] : by_structure_) {
    for (const auto& segment : list) {
      if (segment->compiled()) texts.push_back(segment->text());
    }
  }
  return texts;
}

}  // namespace paddle::pir
