// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs: values, operations, blocks, regions. A region owns blocks, a block owns its operations
// in order, an operation owns its results and regions; uses are plain pointers kept up to date by
// the setters. Removing an operation that is still used is an error of the caller and raises.
// One thread at a time.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paddle_core/shape/sym.h"
#include "pir/ir/op_name.h"
#include "pir/ir/type.h"

namespace paddle::pir {

class Operation;
class Block;
class Region;
class Value;

struct Use {
  Operation* op;
  uint32_t index;
};

class PADDLE_API Value {
 public:
  Value(Type type, Operation* producer, Block* block, uint32_t index)
      : type_(std::move(type)), producer_(producer), block_(block), index_(index) {}
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  const Type& type() const { return type_; }
  void set_type(Type type) { type_ = std::move(type); }
  Operation* producer() const { return producer_; }  // null for a block argument
  Block* block() const;                              // that defines it
  uint32_t index() const { return index_; }
  const std::vector<Use>& uses() const { return uses_; }
  bool used() const { return !uses_.empty(); }
  void replace_all_uses_with(Value* other);
  bool stop_gradient = true;
  bool persistable = false;

 private:
  friend class Operation;
  Type type_;
  Operation* producer_;
  Block* block_;
  uint32_t index_;
  std::vector<Use> uses_;
};

class PADDLE_API Operation {
 public:
  Operation(OpName name, const std::vector<Value*>& operands, std::vector<Type> results,
            std::vector<NamedAttribute> attributes);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const std::string& name() const { return name_.text(); }
  OpName op_name() const { return name_; }
  bool is(OpId id) const { return name_.id() == id; }
  bool has(uint32_t traits) const { return name_.has(traits); }  // any of OpTrait
  // Of the dialect; null when none was registered.
  const OperationRecord* record() const { return name_.record(); }
  // Record of a pd_op operation; null for the other dialects.
  const OpDef* def = nullptr;
  std::string location;  // user's file:line
  // What a library keeps with the operation, such as a compiled form of its region. Copies of the
  // operation share it; it is neither printed nor saved.
  std::shared_ptr<void> handle;

  size_t num_operands() const { return operands_.size(); }
  Value* operand(size_t i) const { return operands_[i]; }  // null: absent optional input
  const std::vector<Value*>& operands() const { return operands_; }
  void set_operand(size_t i, Value* value);
  void add_operand(Value* value);
  size_t num_results() const { return results_.size(); }
  Value* result(size_t i = 0) const { return results_[i].get(); }
  Value* add_result(Type type);
  bool used() const;

  const std::vector<NamedAttribute>& attributes() const { return attributes_; }
  const Attribute* find_attribute(std::string_view name) const;
  const Attribute& attribute(std::string_view name) const;  // ValueError when absent
  void set_attribute(std::string_view name, Attribute value);

  const std::vector<std::unique_ptr<Region>>& regions() const { return regions_; }
  Region& add_region();
  Block* block() const { return block_; }
  // Where it stands in its block.
  std::list<std::unique_ptr<Operation>>::iterator position() const { return position_; }

 private:
  friend class Block;
  friend class Value;
  void add_use(size_t i);
  void drop_use(size_t i);
  void drop_all_operands();
  OpName name_;
  std::vector<Value*> operands_;
  std::vector<std::unique_ptr<Value>> results_;
  std::vector<NamedAttribute> attributes_;
  std::vector<std::unique_ptr<Region>> regions_;
  Block* block_ = nullptr;
  std::list<std::unique_ptr<Operation>>::iterator position_;
};

class PADDLE_API Block {
 public:
  using Operations = std::list<std::unique_ptr<Operation>>;
  explicit Block(Region* region) : region_(region) {}
  ~Block();
  Region* region() const { return region_; }
  const Operations& operations() const { return operations_; }
  Operations& operations() { return operations_; }
  size_t num_arguments() const { return arguments_.size(); }
  Value* argument(size_t i) const { return arguments_[i].get(); }
  Value* add_argument(Type type);
  Operation* append(std::unique_ptr<Operation> op) {
    return insert(operations_.end(), std::move(op));
  }
  Operation* insert(Operations::iterator before, std::unique_ptr<Operation> op);
  // RuntimeError when a result is still used.
  void erase(Operation* op);
  void move(Operation* op, Operations::iterator before);
  // The program that the block is part of keeps these symbols.
  void keep_symbols(const SymbolOwner& owner);

 private:
  friend class Region;
  void drop_references();
  Region* region_;
  std::vector<std::unique_ptr<Value>> arguments_;
  Operations operations_;
};

class PADDLE_API Region {
 public:
  explicit Region(Operation* parent) : parent_(parent) {}
  ~Region();
  Operation* parent() const { return parent_; }
  const std::vector<std::unique_ptr<Block>>& blocks() const { return blocks_; }
  Block& add_block();

 private:
  friend class Block;
  friend class Program;
  Operation* parent_;
  std::vector<SymbolOwner> symbols_;  // of the outermost region of a program
  std::vector<std::unique_ptr<Block>> blocks_;
};

class PADDLE_API Program {
 public:
  Program() : region_(nullptr) { region_.add_block(); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Block& block() { return *region_.blocks().front(); }
  const Block& block() const { return *region_.blocks().front(); }
  size_t num_operations() const { return block().operations().size(); }
  // Extents in types and attributes are symbols of scopes, which a program keeps as long as it
  // lives. A program that takes over parts of another one keeps what that one does.
  void keep_symbols(const SymbolOwner& owner) { block().keep_symbols(owner); }
  void keep_symbols_of(const Program& other);

 private:
  Region region_;
};

// Appends (or inserts) operations at a point.
class PADDLE_API Builder {
 public:
  explicit Builder(Block& block) : block_(&block), before_(block.operations().end()) {}
  void set_before(Operation* op) {
    block_ = op->block();
    before_ = op->position();
  }
  void set_end(Block& block) {
    block_ = &block;
    before_ = block.operations().end();
  }
  Operation* create(OpName name, const std::vector<Value*>& operands, std::vector<Type> results,
                    std::vector<NamedAttribute> attributes = {});
  Operation* insert(std::unique_ptr<Operation> op) {
    return block_->insert(before_, std::move(op));
  }
  // builtin.combine: a vector of tensors.
  Value* combine(const std::vector<Value*>& values);
  Block& block() { return *block_; }
  std::string location;

 private:
  Block* block_;
  Block::Operations::iterator before_;
};

PADDLE_API std::string print(const Program& program);
PADDLE_API std::string print(const Operation& op);
// Inverse of print(); ValueError with the line on malformed text.
PADDLE_API std::unique_ptr<Program> parse(std::string_view text);
// The inverse of operator<< for one type. Symbolic extents become symbols of the scope in force,
// unknown ones (-1) where there is none.
PADDLE_API Type parse_type(std::string_view text);

}  // namespace paddle::pir
