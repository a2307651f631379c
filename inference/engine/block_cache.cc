// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of known blocks. A node without owners is idle; an idle leaf can be erased at once, an
// idle inner node when what follows it is gone, and its children are idle, too: whoever has a block
// has all in front of it.
#include "inference/engine/block_cache.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "paddle_core/base/error.h"

namespace paddle::engine {

struct BlockCache::Node {
  Node* parent = nullptr;
  std::vector<TokenId> tokens;
  int32_t block = -1;
  int32_t owners = 0;
  uint64_t last_used = 0;
  // By a hash of their tokens; few have more than one child with the same.
  std::unordered_multimap<uint64_t, std::unique_ptr<Node>> children;
};

namespace {

uint64_t hash_of(std::span<const TokenId> tokens) {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (const TokenId t : tokens)
    h = (h ^ static_cast<uint32_t>(t)) * 0xBF58476D1CE4E5B9u + (h >> 29);
  return h;
}

}  // namespace

bool BlockCache::LeastRecent::operator()(const Node* a, const Node* b) const {
  return std::pair(a->last_used, a->block) < std::pair(b->last_used, b->block);
}

BlockCache::BlockCache(int64_t num_blocks, int64_t block_size, CopyBlock copy)
    : num_blocks_(num_blocks), block_size_(block_size), copy_(std::move(copy)) {
  free_.resize(static_cast<size_t>(num_blocks));
  std::iota(free_.rbegin(), free_.rend(), 0);
}

BlockCache::~BlockCache() {
  // Child by child: a long prompt is a long chain.
  idle_.clear();
  std::vector<std::unique_ptr<Node>> left;
  for (auto& [family, node] : roots_) left.push_back(std::move(node));
  while (!left.empty()) {
    const std::unique_ptr<Node> node = std::move(left.back());
    left.pop_back();
    for (auto& [hash, child] : node->children) left.push_back(std::move(child));
  }
}

BlockCache::Node* BlockCache::root(uint64_t family) {
  std::unique_ptr<Node>& found = roots_[family];
  if (!found) found = std::make_unique<Node>();
  return found.get();
}

BlockCache::Node* BlockCache::child(Node* of, std::span<const TokenId> tokens) const {
  const auto [first, last] = of->children.equal_range(hash_of(tokens));
  for (auto at = first; at != last; ++at) {
    if (std::ranges::equal(at->second->tokens, tokens)) return at->second.get();
  }
  return nullptr;
}

void BlockCache::acquire(Node* node) {
  if (node->owners++ == 0) {
    if (node->children.empty()) {
      idle_.erase(node);
    } else {
      --num_idle_inner_;
    }
  } else if (node->owners == 2) {
    ++num_shared_;
  }
}

void BlockCache::drop(Node* node) {
  if (node->owners == 2) --num_shared_;
  if (--node->owners == 0) set_idle(node);
}

void BlockCache::set_idle(Node* node) {
  node->last_used = ++clock_;
  if (node->children.empty()) {
    idle_.insert(node);
  } else {
    ++num_idle_inner_;
  }
}

void BlockCache::erase(Node* node) {
  idle_.erase(node);
  free_.push_back(node->block);
  Node* parent = node->parent;
  const auto [first, last] = parent->children.equal_range(hash_of(node->tokens));
  parent->children.erase(
      std::find_if(first, last, [&](const auto& entry) { return entry.second.get() == node; }));
  const bool is_root = parent->parent == nullptr;
  if (!is_root && parent->owners == 0 && parent->children.empty()) {
    --num_idle_inner_;
    idle_.insert(parent);
  }
}

int32_t BlockCache::take_free() {
  if (free_.empty()) erase(*idle_.begin());
  const int32_t block = free_.back();
  free_.pop_back();
  return block;
}

int64_t BlockCache::take_known(Table& table, std::span<const TokenId> tokens, uint64_t family) {
  const auto size = static_cast<size_t>(block_size_);
  const std::span<const TokenId> wanted = tokens.first(tokens.empty() ? 0 : tokens.size() - 1);
  Node* at = root(family);
  size_t count = 0;
  for (; count + size <= wanted.size(); count += size) {
    Node* next = child(at, wanted.subspan(count, size));
    if (!next) break;
    acquire(next);
    table.blocks.push_back(next->block);
    at = next;
  }
  table.num_published = table.blocks.size();
  table.last = at;
  // The block behind that begins as the tokens go on, for the most of them.
  const std::span<const TokenId> rest = wanted.subspan(count);
  size_t most = 0;
  Node* best = nullptr;
  for (const auto& [hash, next] : at->children) {
    const auto differs = std::ranges::mismatch(next->tokens, rest);
    const auto same = static_cast<size_t>(differs.in1 - next->tokens.begin());
    if (same > most) most = same, best = next.get();
  }
  if (best && (!free_.empty() || idle_.size() > 1)) {
    acquire(best);
    const int32_t own = take_free();
    copy_(best->block, own);
    drop(best);
    table.blocks.push_back(own);
    count += most;
  }
  return static_cast<int64_t>(count);
}

bool BlockCache::reserve(Table& table, int64_t positions) {
  const int64_t needed = (positions + block_size_ - 1) / block_size_ - std::ssize(table.blocks);
  if (needed > num_available()) return false;
  for (int64_t i = 0; i < needed; ++i) table.blocks.push_back(take_free());
  return true;
}

void BlockCache::publish(Table& table, std::span<const TokenId> tokens, int64_t count) {
  const auto size = static_cast<size_t>(block_size_);
  if (!table.last) table.last = root(0);
  for (size_t i = table.num_published; (i + 1) * size <= static_cast<size_t>(count); ++i) {
    const std::span<const TokenId> part = tokens.subspan(i * size, size);
    if (Node* known = child(table.last, part)) {
      // Somebody else has computed the same meanwhile: one of both suffices.
      acquire(known);
      free_.push_back(table.blocks[i]);
      table.blocks[i] = known->block;
      table.last = known;
    } else {
      auto node = std::make_unique<Node>();
      node->parent = table.last;
      node->tokens.assign(part.begin(), part.end());
      node->block = table.blocks[i];
      node->owners = 1;
      Node* raw = node.get();
      table.last->children.emplace(hash_of(part), std::move(node));
      table.last = raw;
    }
    table.num_published = i + 1;
  }
}

void BlockCache::release(Table& table) {
  for (size_t i = table.num_published; i < table.blocks.size(); ++i)
    free_.push_back(table.blocks[i]);
  // From the last one: it is to go before those in front of it.
  Node* at = table.last;
  for (size_t i = 0; i < table.num_published; ++i) {
    Node* parent = at->parent;
    drop(at);
    at = parent;
  }
  table = Table();
}

void BlockCache::forget() {
  while (!idle_.empty()) erase(*idle_.begin());
}

}  // namespace paddle::engine
