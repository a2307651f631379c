// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of block formats.
#include "paddle_core/type/block_format.h"

namespace paddle {
namespace {

constexpr BlockLayout kLayouts[] = {
    {"Q8_0", 32, 34, 8, 1, 128, false},   {"Q4_0", 32, 18, 4, 1, 8, false},
    {"Q4_1", 32, 20, 4, 1, 0, true},      {"Q5_0", 32, 22, 5, 1, 16, false},
    {"Q5_1", 32, 24, 5, 1, 0, true},      {"Q2_K", 256, 84, 4, 2, 0, true},
    {"Q3_K", 256, 110, 4, 2, 4, false},   {"Q4_K", 256, 144, 4, 1, 0, true},
    {"Q5_K", 256, 176, 5, 1, 0, true},    {"Q6_K", 256, 210, 6, 2, 32, false},
    {"IQ4_NL", 32, 18, 8, 1, 128, false}, {"F8_E4M3", 128, 132, 8, 1, 0, false, true},
};

}  // namespace

const BlockLayout& layout_of(BlockFormat format) { return kLayouts[static_cast<int>(format)]; }

bool block_format_from_name(std::string_view name, BlockFormat& format) {
  for (size_t i = 0; i < std::size(kLayouts); ++i) {
    if (name != kLayouts[i].name) continue;
    format = static_cast<BlockFormat>(i);
    return true;
  }
  return false;
}

std::string block_format_names() {
  std::string names;
  for (const BlockLayout& l : kLayouts) names += (names.empty() ? "" : ", ") + std::string(l.name);
  return names;
}

}  // namespace paddle
