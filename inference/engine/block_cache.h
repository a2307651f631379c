// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Who has which blocks of the cache of keys and values.
//
// A block that is full of computed tokens enters a tree in which the path from the root tells all
// tokens up to it, so that a prompt with the same beginning takes it as it is. Blocks of the tree
// that no sequence has stay until their memory is needed: those used least recently, leaves before
// what is in front of them, go first. Only blocks outside of the tree are written, and each of them
// has one owner; of a block of the tree that fits in part, the new owner gets a copy. Tokens of
// another family, whose weights differ by an adapter, have a tree of their own.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "inference/engine/request.h"
#include "paddle_core/base/export.h"

namespace paddle::engine {

class PADDLE_API BlockCache {
 public:
  using CopyBlock = std::function<void(int32_t from, int32_t to)>;

  BlockCache(int64_t num_blocks, int64_t block_size, CopyBlock copy);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  struct Node;
  // The blocks of a sequence in order. The first `num_published` are in the tree.
  struct Table {
    std::vector<int32_t> blocks;
    size_t num_published = 0;
    Node* last = nullptr;  // of the last published block
  };

  // Gives an empty table the blocks of the longest beginning of `tokens` that is known, at most
  // all but the last token, and says how many tokens that is.
  int64_t take_known(Table& table, std::span<const TokenId> tokens, uint64_t family = 0);
  // Adds blocks until `positions` tokens have room; false, and nothing is added, where there are
  // not enough.
  bool reserve(Table& table, int64_t positions);
  // The first `count` tokens have their keys and values: full blocks of them become known.
  void publish(Table& table, std::span<const TokenId> tokens, int64_t count);
  // Gives all blocks back; those in the tree stay known.
  void release(Table& table);
  // Forgets everything that no sequence has.
  void forget();

  int64_t block_size() const { return block_size_; }
  int64_t num_blocks() const { return num_blocks_; }
  // Free ones, and known ones that no sequence has.
  int64_t num_available() const {
    return static_cast<int64_t>(free_.size() + idle_.size()) + num_idle_inner_;
  }
  // Blocks that more than one sequence has.
  int64_t num_shared() const { return num_shared_; }

 private:
  Node* root(uint64_t family);
  Node* child(Node* of, std::span<const TokenId> tokens) const;
  void acquire(Node* node);
  void drop(Node* node);
  void set_idle(Node* node);
  void erase(Node* node);
  int32_t take_free();

  int64_t num_blocks_, block_size_;
  CopyBlock copy_;
  std::vector<int32_t> free_;
  std::unordered_map<uint64_t, std::unique_ptr<Node>> roots_;  // by their family
  struct LeastRecent {
    bool operator()(const Node* a, const Node* b) const;
  };
  std::set<Node*, LeastRecent> idle_;  // leaves that no sequence has
  int64_t num_idle_inner_ = 0;         // other nodes that no sequence has
  int64_t num_shared_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace paddle::engine
