// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ownership and use lists of programs.
#include "pir/ir/ir.h"

#include <algorithm>

namespace paddle::pir {

Block* Value::block() const { return producer_ ? producer_->block() : block_; }

void Value::replace_all_uses_with(Value* other) {
  PADDLE_ASSERT(other != this);
  const std::vector<Use> uses = uses_;
  for (const Use& use : uses) use.op->set_operand(use.index, other);
}

Operation::Operation(OpName name, const std::vector<Value*>& operands, std::vector<Type> results,
                     std::vector<NamedAttribute> attributes)
    : name_(name), operands_(operands), attributes_(std::move(attributes)) {
  for (size_t i = 0; i < operands_.size(); ++i) add_use(i);
  for (Type& type : results) add_result(std::move(type));
}

Value* Operation::add_result(Type type) {
  const auto index = static_cast<uint32_t>(results_.size());
  results_.push_back(std::make_unique<Value>(std::move(type), this, nullptr, index));
  return results_.back().get();
}

Operation::~Operation() {
  regions_.clear();
  drop_all_operands();
}

void Operation::add_use(size_t i) {
  if (operands_[i]) operands_[i]->uses_.push_back({this, static_cast<uint32_t>(i)});
}

void Operation::drop_use(size_t i) {
  if (!operands_[i]) return;
  auto& uses = operands_[i]->uses_;
  const auto at = std::find_if(uses.begin(), uses.end(),
                               [&](const Use& use) { return use.op == this && use.index == i; });
  if (at != uses.end()) uses.erase(at);
}

void Operation::drop_all_operands() {
  for (size_t i = 0; i < operands_.size(); ++i) drop_use(i);
  operands_.clear();
}

void Operation::set_operand(size_t i, Value* value) {
  drop_use(i);
  operands_[i] = value;
  add_use(i);
}

void Operation::add_operand(Value* value) {
  operands_.push_back(value);
  add_use(operands_.size() - 1);
}

bool Operation::used() const {
  return std::any_of(results_.begin(), results_.end(), [](const auto& r) { return r->used(); });
}

const Attribute* Operation::find_attribute(std::string_view name) const {
  for (const NamedAttribute& a : attributes_) {
    if (a.first == name) return &a.second;
  }
  return nullptr;
}

const Attribute& Operation::attribute(std::string_view name) const {
  const Attribute* a = find_attribute(name);
  PADDLE_CHECK_VALUE(a, this->name(), ": attribute ", name, " is missing in the program.");
  return *a;
}

void Operation::set_attribute(std::string_view name, Attribute value) {
  for (NamedAttribute& a : attributes_) {
    if (a.first == name) {
      a.second = std::move(value);
      return;
    }
  }
  attributes_.emplace_back(std::string(name), std::move(value));
}

Region& Operation::add_region() {
  regions_.push_back(std::make_unique<Region>(this));
  return *regions_.back();
}

Block::~Block() {
  drop_references();
  while (!operations_.empty()) operations_.pop_back();
}

void Block::drop_references() {
  for (auto& op : operations_) {
    for (const auto& region : op->regions()) {
      for (const auto& block : region->blocks()) block->drop_references();
    }
    op->drop_all_operands();
  }
}

Value* Block::add_argument(Type type) {
  const auto index = static_cast<uint32_t>(arguments_.size());
  arguments_.push_back(std::make_unique<Value>(std::move(type), nullptr, this, index));
  return arguments_.back().get();
}

Operation* Block::insert(Operations::iterator before, std::unique_ptr<Operation> op) {
  Operation* raw = op.get();
  raw->block_ = this;
  raw->position_ = operations_.insert(before, std::move(op));
  return raw;
}

void Block::erase(Operation* op) {
  PADDLE_CHECK_RUNTIME(!op->used(), op->name(),
                       ": the operation cannot be erased because a result of it is still used.");
  operations_.erase(op->position_);
}

void Block::move(Operation* op, Operations::iterator before) {
  Block* from = op->block_;
  operations_.splice(before, from->operations_, op->position_);
  op->block_ = this;
}

Region::~Region() {
  for (const auto& block : blocks_) block->drop_references();
}

void Block::keep_symbols(const SymbolOwner& owner) {
  Region* top = region_;
  while (top->parent() && top->parent()->block()) top = top->parent()->block()->region();
  auto& kept = top->symbols_;
  if (std::find(kept.begin(), kept.end(), owner) == kept.end()) kept.push_back(owner);
}

void Program::keep_symbols_of(const Program& other) {
  for (const SymbolOwner& owner : other.region_.symbols_) keep_symbols(owner);
}

Block& Region::add_block() {
  blocks_.push_back(std::make_unique<Block>(this));
  return *blocks_.back();
}

Operation* Builder::create(OpName name, const std::vector<Value*>& operands,
                           std::vector<Type> results, std::vector<NamedAttribute> attributes) {
  auto op = std::make_unique<Operation>(name, operands, std::move(results), std::move(attributes));
  op->location = location;
  return block_->insert(before_, std::move(op));
}

Value* Builder::combine(const std::vector<Value*>& values) {
  std::vector<Type> types;
  for (const Value* v : values) types.push_back(v->type());
  return create("builtin.combine", values, {Type::vector(std::move(types))})->result();
}

}  // namespace paddle::pir
