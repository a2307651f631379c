// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks, order, positions.
#include "pir/draw/layout.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace paddle::pir {
namespace {

constexpr double kGap = 24, kRankGap = 34, kCharacter = 7, kLineHeight = 15, kMargin = 8;
constexpr size_t kLongestBend = 40, kMostBends = 20000;

using Lines = std::function<std::vector<std::string>(const Operation&)>;

// The operations of `block` whose results `op` or its regions read.
void find_producers(const Operation& op, const Block& block,
                    std::vector<std::pair<const Operation*, const Value*>>& out) {
  for (const Value* v : op.operands()) {
    if (v && v->producer() && v->producer()->block() == &block) out.emplace_back(v->producer(), v);
  }
  for (const auto& region : op.regions()) {
    for (const auto& inner : region->blocks()) {
      for (const auto& o : inner->operations()) find_producers(*o, block, out);
    }
  }
}

class Drafter {
 public:
  Drafter(const Block& block, const Lines& lines_of, bool nest)
      : block_(block), lines_of_(lines_of), nest_(nest) {}

  Layout run() {
    make_boxes();
    connect();
    order();
    place();
    return std::move(out_);
  }

 private:
  void make_boxes() {
    for (const auto& op : block_.operations()) {
      if (is_inline(*op)) continue;
      Layout::Box box;
      box.op = op.get();
      box.lines = lines_of_(*op);
      size_t longest = 0;
      for (const std::string& line : box.lines) longest = std::max(longest, line.size());
      box.width = static_cast<double>(longest) * kCharacter + 2 * kMargin;
      box.text_height = static_cast<double>(box.lines.size()) * kLineHeight + kMargin;
      box.height = box.text_height;
      if (nest_) add_regions(box);
      at_[op.get()] = out_.boxes.size();
      out_.boxes.push_back(std::move(box));
    }
  }

  void add_regions(Layout::Box& box) {
    double width = kMargin, height = 0;
    for (const auto& region : box.op->regions()) {
      for (const auto& block : region->blocks()) {
        box.inner.push_back(lay_out(*block, lines_of_, true));
        width += box.inner.back().width + kMargin;
        height = std::max(height, box.inner.back().height);
      }
    }
    if (box.inner.empty()) return;
    box.width = std::max(box.width, width);
    box.height += height + kMargin;
  }

  void connect() {
    struct Edge {
      size_t from, to;
      std::string label;
    };
    std::vector<Edge> edges;
    for (size_t i = 0; i < out_.boxes.size(); ++i) {
      std::vector<std::pair<const Operation*, const Value*>> producers;
      find_producers(*out_.boxes[i].op, block_, producers);
      std::unordered_set<const Value*> seen;
      for (const auto& [producer, value] : producers) {
        const auto from = at_.find(producer);
        if (from == at_.end() || from->second == i || !seen.insert(value).second) continue;
        edges.push_back({from->second, i, short_text(value->type())});
        out_.boxes[i].rank = std::max(out_.boxes[i].rank, out_.boxes[from->second].rank + 1);
      }
    }
    // What hangs on parameters alone stands just above its first reader.
    std::vector<bool> late(out_.boxes.size(), true);
    std::vector<size_t> first_reader(out_.boxes.size(), ~size_t{0});
    for (size_t i = 0; i < out_.boxes.size(); ++i) late[i] = !out_.boxes[i].op->is("pd_op.data");
    for (const Edge& e : edges) late[e.to] = late[e.to] && late[e.from];
    for (auto e = edges.rbegin(); e != edges.rend(); ++e) {
      if (late[e->to] && first_reader[e->to] != ~size_t{0}) {
        out_.boxes[e->to].rank = first_reader[e->to] - 1;
      }
      first_reader[e->from] = std::min(first_reader[e->from], out_.boxes[e->to].rank);
    }
    for (size_t i = 0; i < out_.boxes.size(); ++i) {
      if (late[i] && first_reader[i] != ~size_t{0}) out_.boxes[i].rank = first_reader[i] - 1;
    }
    size_t bends = 0;
    for (const Edge& e : edges) {
      const size_t span = out_.boxes[e.to].rank - out_.boxes[e.from].rank;
      if (span > 1 && span <= kLongestBend) bends += span - 1;
    }
    for (Edge& e : edges) {
      Layout::Line line{{e.from}, std::move(e.label)};
      const size_t first = out_.boxes[e.from].rank + 1, last = out_.boxes[e.to].rank;
      const bool bend = bends <= kMostBends && last - first < kLongestBend;
      for (size_t rank = first; bend && rank < last; ++rank) {
        Layout::Box passing;
        passing.rank = rank;
        passing.width = kMargin;
        line.through.push_back(out_.boxes.size());
        out_.boxes.push_back(std::move(passing));
      }
      line.through.push_back(e.to);
      for (size_t k = 1; k < line.through.size(); ++k) {
        out_.boxes[line.through[k - 1]].below.push_back(line.through[k]);
        out_.boxes[line.through[k]].above.push_back(line.through[k - 1]);
      }
      out_.lines.push_back(std::move(line));
    }
  }

  void order() {
    for (size_t i = 0; i < out_.boxes.size(); ++i) {
      const size_t rank = out_.boxes[i].rank;
      if (ranks_.size() <= rank) ranks_.resize(rank + 1);
      ranks_[rank].push_back(i);
    }
    std::vector<double> position(out_.boxes.size());
    const auto number = [&](const std::vector<size_t>& rank) {
      for (size_t k = 0; k < rank.size(); ++k) position[rank[k]] = static_cast<double>(k);
    };
    for (const auto& rank : ranks_) number(rank);
    const auto sort = [&](std::vector<size_t>& rank, bool by_above) {
      std::unordered_map<size_t, double> key;
      for (const size_t i : rank) {
        const auto& next = by_above ? out_.boxes[i].above : out_.boxes[i].below;
        double sum = 0;
        for (const size_t n : next) sum += position[n];
        key[i] = next.empty() ? position[i] : sum / static_cast<double>(next.size());
      }
      std::stable_sort(rank.begin(), rank.end(),
                       [&](size_t a, size_t b) { return key[a] < key[b]; });
      number(rank);
    };
    for (int sweep = 0; sweep < 4; ++sweep) {
      for (auto& rank : ranks_) sort(rank, true);
      for (auto rank = ranks_.rbegin(); rank != ranks_.rend(); ++rank) sort(*rank, false);
    }
  }

  // Moves the boxes of a rank to the mean of their neighbours, as far as their order allows.
  void settle(const std::vector<size_t>& rank, bool by_above) {
    std::vector<double> wish(rank.size());
    for (size_t k = 0; k < rank.size(); ++k) {
      const Layout::Box& box = out_.boxes[rank[k]];
      const auto& next = by_above ? box.above : box.below;
      double sum = 0;
      for (const size_t n : next) sum += out_.boxes[n].x;
      wish[k] = next.empty() ? box.x : sum / static_cast<double>(next.size());
    }
    std::vector<double> left = wish, right = wish;
    const auto room = [&](size_t k) {
      return (out_.boxes[rank[k - 1]].width + out_.boxes[rank[k]].width) / 2 + kGap;
    };
    for (size_t k = 1; k < rank.size(); ++k) left[k] = std::max(left[k], left[k - 1] + room(k));
    for (size_t k = rank.size(); k-- > 1;) {
      right[k - 1] = std::min(right[k - 1], right[k] - room(k));
    }
    for (size_t k = 0; k < rank.size(); ++k) {
      out_.boxes[rank[k]].x = (left[k] + right[k]) / 2;
    }
  }

  void place() {
    double y = kMargin;
    for (const auto& rank : ranks_) {
      double x = 0, height = 0;
      for (const size_t i : rank) {
        Layout::Box& box = out_.boxes[i];
        box.x = x + box.width / 2;
        box.y = y;
        x += box.width + kGap;
        height = std::max(height, box.height);
      }
      for (const size_t i : rank) {
        if (!out_.boxes[i].op) out_.boxes[i].height = height;
      }
      y += height + kRankGap;
    }
    for (int sweep = 0; sweep < 6; ++sweep) {
      for (const auto& rank : ranks_) settle(rank, true);
      for (auto rank = ranks_.rbegin(); rank != ranks_.rend(); ++rank) settle(*rank, false);
    }
    double left = 0;
    bool first = true;
    for (const Layout::Box& box : out_.boxes) {
      left = first ? box.x - box.width / 2 : std::min(left, box.x - box.width / 2);
      first = false;
    }
    for (Layout::Box& box : out_.boxes) {
      box.x += kMargin - left;
      out_.width = std::max(out_.width, box.x + box.width / 2 + kMargin);
      out_.height = std::max(out_.height, box.y + box.height + kMargin);
    }
  }

  const Block& block_;
  const Lines& lines_of_;
  const bool nest_;
  Layout out_;
  std::unordered_map<const Operation*, size_t> at_;
  std::vector<std::vector<size_t>> ranks_;
};

}  // namespace

bool is_inline(const Operation& op) {
  return op.num_operands() == 0 && op.num_results() == 1 && op.used() && op.regions().empty() &&
         (op.is("builtin.parameter") || op.is("builtin.constant") || op.is("builtin.dims") ||
          op.is("pd_op.full") || op.is("pd_op.full_int_array"));
}

std::string short_text(const Type& type) {
  if (type.is_null()) return "-";
  if (type.is_vector()) {
    const size_t n = type.elements().size();
    return str(n, " x ", n ? short_text(type.elements()[0]) : std::string("tensor"));
  }
  std::string out = str(type.dtype(), '[');
  for (size_t i = 0; i < type.shape().size(); ++i) out += str(i ? ", " : "", type.shape()[i]);
  return out + ']';
}

Layout lay_out(const Block& block, const Lines& lines_of, bool nest) {
  return Drafter(block, lines_of, nest).run();
}

}  // namespace paddle::pir
