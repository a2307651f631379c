// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A map from pointers to values for the short life of one backward pass: open addressing over one
// array, values in the order of their making at addresses that do not change.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace paddle::autograd {

template <typename Key, typename Value>
class PointerTable {
 public:
  // The value of `key`, made when there is none.
  Value& operator[](Key* key) {
    if (4 * (values_.size() + 1) > 3 * places_.size()) grow();
    Place& place = find_place(key);
    if (place.key == nullptr) {
      place = {key, &values_.emplace_back()};
    }
    return *place.value;
  }

 private:
  struct Place {
    Key* key = nullptr;
    Value* value = nullptr;
  };

  Place& find_place(Key* key) {
    // Fibonacci hashing: the low bits of an address are the same for all.
    const uint64_t hash = (reinterpret_cast<uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u;
    const size_t mask = places_.size() - 1;
    size_t i = static_cast<size_t>(hash >> 32) & mask;
    while (places_[i].key != nullptr && places_[i].key != key) i = (i + 1) & mask;
    return places_[i];
  }

  void grow() {
    std::vector<Place> old(places_.empty() ? 16 : 2 * places_.size());
    old.swap(places_);
    for (const Place& p : old) {
      if (p.key != nullptr) find_place(p.key) = p;
    }
  }

  std::vector<Place> places_;  // a power of two
  std::deque<Value> values_;
};

}  // namespace paddle::autograd
