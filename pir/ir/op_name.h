// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Interned names of operations. A name stands once per process in a table, with what is known of
// operations of that name: traits, the record of the operator, the record that a dialect
// registered. Two names are equal when they are the same entry; a literal is compared by a hash
// that the compiler computes and that the table keeps unique.
//
//   if (op.is("builtin.combine")) ...          // one comparison of integers
//   static const OpName kCombine = "builtin.combine";
//
// Thread-safe. Entries are never removed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "paddle_core/base/export.h"

namespace paddle {
class OpDef;
}

namespace paddle::pir {

struct OperationRecord;

// What holds for every operation of a name. Those of an operator with an OpDef follow from that.
enum OpTrait : uint32_t {
  // Nothing but its results matters: it may be removed, merged with an equal one, moved. With
  // regions: if they hold pure operations only.
  kPure = 1u << 0,
  // A result shows the memory of operand 0.
  kSharesOperand = 1u << 1,
  // Its result is known before the program runs (OperationRecord::constant).
  kConstant = 1u << 2,
  // Ends a block and hands its operands to the operation around it.
  kTerminator = 1u << 3,
  // Takes what the caller gives, or hands out: the interpreter has nothing to do for it.
  kBoundary = 1u << 4,
  // Names functions, symbols or tensors of the process: no file holds it.
  kInMemoryOnly = 1u << 5,
};

// The identity of a name that is known when the code is compiled.
class OpId {
 public:
  consteval OpId(const char* name) : value_(hash(name)) {}       // NOLINT: as a literal
  consteval OpId(std::string_view name) : value_(hash(name)) {}  // NOLINT: as a literal
  static OpId of(std::string_view name) { return OpId(hash(name), 0); }
  constexpr uint64_t value() const { return value_; }
  friend constexpr bool operator==(OpId, OpId) = default;

 private:
  constexpr OpId(uint64_t value, int) : value_(value) {}
  static constexpr uint64_t hash(std::string_view name) {  // FNV-1a
    uint64_t h = 0xcbf29ce484222325u;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }
  uint64_t value_;
};

// An entry of the table.
struct OpInfo {
  OpInfo(std::string_view text, OpId its_id, uint32_t position)
      : name(text), id(its_id), index(position) {}
  const std::string name;
  const OpId id;
  const uint32_t index;  // in order of interning
  std::atomic<uint32_t> traits{0};
  std::atomic<const OpDef*> def{nullptr};               // see find_def
  std::atomic<const OperationRecord*> record{nullptr};  // see register_operation
  OpInfo* next = nullptr;                               // in the same bucket
};

class PADDLE_API OpName {
 public:
  // RuntimeError when another name has the same hash.
  OpName(std::string_view name);                                       // NOLINT: as a string
  OpName(const char* name) : OpName(std::string_view(name)) {}         // NOLINT
  OpName(const std::string& name) : OpName(std::string_view(name)) {}  // NOLINT

  const std::string& text() const { return info_->name; }
  OpId id() const { return info_->id; }
  uint32_t index() const { return info_->index; }
  bool has(uint32_t traits) const {
    return (info_->traits.load(std::memory_order_relaxed) & traits) != 0;
  }
  void add_traits(uint32_t traits) const { info_->traits.fetch_or(traits); }
  // Null when no dialect registered one.
  const OperationRecord* record() const { return info_->record.load(std::memory_order_acquire); }
  OpInfo& info() const { return *info_; }
  friend bool operator==(OpName, OpName) = default;

 private:
  OpInfo* info_;
};

}  // namespace paddle::pir
