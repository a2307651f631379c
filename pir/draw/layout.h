// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where the boxes of a block go: ranks by the longest path from the inputs, an order within each
// rank that crosses few lines (Sugiyama, Tagawa, Toda 1981), positions near the neighbours.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pir/ir/ir.h"

namespace paddle::pir {

struct Layout {
  struct Box {
    const Operation* op = nullptr;  // null: a line passes here
    std::vector<std::string> lines;
    std::vector<Layout> inner;  // regions drawn inside
    double x = 0, y = 0;        // centre, top
    double width = 0, height = 0, text_height = 0;
    size_t rank = 0;
    std::vector<size_t> above, below;
  };
  struct Line {
    std::vector<size_t> through;  // boxes, from producer to reader
    std::string label;
  };
  std::vector<Box> boxes;
  std::vector<Line> lines;
  double width = 0, height = 0;
};

// `lines_of` gives the text of a box. `nest`: regions inside their operation's box.
Layout lay_out(const Block& block,
               const std::function<std::vector<std::string>(const Operation&)>& lines_of,
               bool nest);
// Whether an operation is named in the boxes of its readers instead of having one.
bool is_inline(const Operation& op);
std::string short_text(const Type& type);

}  // namespace paddle::pir
