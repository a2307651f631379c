// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs as pictures: operations as boxes from top to bottom with the types of their results,
// values as lines between them; constants and parameters are named in the boxes that read them.
// With times, each box has its share of the run time as colour, its time and the bytes that it
// moved.
#pragma once

#include <string>

#include "pir/ir/ir.h"
#include "pir/ir/operation_times.h"

namespace paddle::pir {

// Regions are drawn inside the box of their operation.
PADDLE_API std::string draw_svg(const Program& program, const OperationTimes& times = {});
// A page: regions fold, a table lists the operators by time, pointing at a box shows its text.
PADDLE_API std::string draw_html(const Program& program, const OperationTimes& times = {});
// Several titled programs on one page, each to be folded.
PADDLE_API std::string draw_page(const std::string& title,
                                 const std::vector<std::pair<std::string, std::string>>& parts);
// Writes one of the two, by the end of the path; ValueError when it is neither .svg nor .html.
PADDLE_API void draw(const Program& program, const std::string& path,
                     const OperationTimes& times = {});
PADDLE_API void write_text(const std::string& path, const std::string& text);

}  // namespace paddle::pir
