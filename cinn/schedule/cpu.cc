// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Nests of loops as stages of a kernel for the CPU.
#include <algorithm>
#include <optional>

#include "cinn/scalar/random_math.h"
#include "cinn/schedule/in_place.h"
#include "cinn/schedule/nest_schedule.h"
#include "cinn/schedule/reciprocals.h"

namespace paddle::cinn {
namespace {

constexpr int64_t kChunk = 16384;        // elements of a row that are one task
constexpr int64_t kDrawnChunk = 2048;    // where random numbers of a chunk lie in memory before it
constexpr int64_t kTaskElements = 8192;  // what is worth a thread
constexpr int64_t kMostBlocks = 64;      // of rows, each with sums of its own

class CpuSchedule final : public NestSchedule {
 public:
  CpuSchedule(const Graph& graph, Variant variant, int lanes)
      : CpuSchedule(
            graph,
            build_nests(graph, order_of(variant) == kFewRows, order_of(variant) == kShortRows),
            variant, lanes) {}

 private:
  CpuSchedule(const Graph& graph, Nests nests, Variant variant, int lanes)
      : NestSchedule(graph, nests, written_straight(graph, nests), variant & kStreamed),
        keeps_rows_(order_of(variant) != kLongRows),
        lanes_(lanes) {}

  // Tasks of `elements` each, so many that they are worth a thread.
  Expr grain_of(Expr elements) {
    return max(number(1), pool().floor_divide(number(kTaskElements), max(number(1), elements)));
  }

  Loop vector_loop(Expr extent, int unroll) {
    Loop loop;
    loop.kind = Loop::Kind::kVector;
    loop.extent = extent;
    loop.variable = pool().variable(extent);
    loop.width = lanes_;
    loop.unroll = unroll;
    return loop;
  }
  void emit() override {
    switch (nest_->order) {
      case Order::kRows:
        return emit_rows();
      case Order::kLanes:
        return emit_lanes();
      case Order::kChunks:
        return emit_chunks();
    }
  }

  void emit_rows();
  void emit_row(const RowCosts& costs, Body& body);
  void emit_pass(const RowCosts& costs, int level, Body& body);
  void emit_lanes();
  void emit_chunks();
  std::vector<int> drawn_along(const Axes& axes) const;
  void draw_rows(Body& body, const Axes& axes, Point first, Expr length, Expr most);
  void draw_row(Body& body, int node, Expr first, Expr length, Expr most);
  void begin_outer_reductions(Body& body);
  std::vector<std::pair<int, int64_t>> end_outer_reductions(Body& body, Expr task, Expr tasks);
  void emit_combine(int node, int64_t partial, Expr rows, Expr count) override;
  void emit_column_combine(int node, int64_t partial, Expr count) override;

  const bool keeps_rows_;
  const int lanes_;
};

// -- random numbers --
// Philox makes four words of one counter, so they are made for a row, or a piece of one, before the
// loop that reads them. Where rows do not lie so in the result, each element computes its own.

// What the nest computes at its point that has neighbours along the axes in its last dimensions.
std::vector<int> CpuSchedule::drawn_along(const Axes& axes) const {
  std::vector<int> found, waiting;
  for (const int k : nest_->stores) waiting.push_back(graph_.results[static_cast<size_t>(k)]);
  for (const auto* list : {&nest_->row_reductions, &nest_->outer_reductions}) {
    for (const int r : *list) waiting.push_back(graph_.node(r).operands[0]);
  }
  std::set<int> seen;
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    const Node& node = graph_.node(at);
    if (node.kind == NodeKind::kReduce || !seen.insert(at).second) continue;
    if (node.kind == NodeKind::kDrawn) {
      const Axes own = graph_.flat(at);
      if (own.size() >= axes.size() && std::equal(axes.rbegin(), axes.rend(), own.rbegin()))
        found.push_back(at);
    }
    for (size_t k = 0; k < node.operands.size(); ++k) {
      if (node.aligned[k]) waiting.push_back(node.operands[k]);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// For the `length` elements along the axes, up to `most`, from the point `first` on.
void CpuSchedule::draw_rows(Body& body, const Axes& axes, Point first, Expr length, Expr most) {
  if (axes.empty()) return;
  go_to(std::move(first));
  for (const int node : drawn_along(axes)) {
    draw_row(body, node, values_.position(node), length, most);
  }
}

void CpuSchedule::draw_row(Body& body, int node, Expr first, Expr length, Expr most) {
  const pir::Operation& op = *graph_.node(node).op;
  const auto [seed, offset] = values_.state_of(node);
  const bool normal = draws_normal(op);
  constexpr int64_t kWords = kNormalBlock, kCounters = kWords / 4;
  const auto blocks_of = [&](Expr count) {
    return pool().floor_divide(pool().add(count, number(kWords - 1)), number(kWords));
  };
  const Expr before = pool().modulo(first, number(normal ? kWords : 4));
  const Expr blocks = blocks_of(pool().add(before, length));
  const Expr lead = declare(body, before);
  const Expr counter = declare(body, pool().floor_divide(pool().subtract(first, lead), number(4)));
  const Expr space =
      pool().multiply(blocks_of(pool().add(most, number(kWords - 1))), number(kWords));
  const int64_t words = add_own("words", DType::kInt32, Space::kScratch, space);
  Loop counters = vector_loop(pool().multiply(blocks, number(kCounters)), 1);
  const auto values =
      words_of_counter(pool(), seed, offset, pool().add(counter, counters.variable));
  counters.body.push_back({StoreRun{words, pool().multiply(counters.variable, number(4)), values}});
  body.push_back({std::move(counters)});
  drawn_[node] = {words, lead};
  if (!normal) return;
  const int64_t normals = add_own("normals", DType::kFloat32, Space::kScratch, space);
  Loop each;
  each.extent = blocks;
  each.variable = pool().variable(blocks);
  Loop pairs = vector_loop(number(kWords / 2), 1);
  const Expr low = pool().add(pool().multiply(each.variable, number(kWords)), pairs.variable);
  const Expr high = pool().add(low, number(kWords / 2));
  const auto [with_cos, with_sin] = normal_pair(pool(), op, pool().load(words, DType::kInt32, low),
                                                pool().load(words, DType::kInt32, high));
  pairs.body.push_back({Store{normals, low, with_cos}});
  pairs.body.push_back({Store{normals, high, with_sin}});
  each.body.push_back({std::move(pairs)});
  body.push_back({std::move(each)});
  drawn_[node].buffer = normals;
}

// One pass over the inner runs.
void CpuSchedule::emit_pass(const RowCosts& costs, int level, Body& body) {
  const bool in_lanes = nest_->order == Order::kLanes;
  const Registers mine = begin_reductions(costs, level, body);
  Inner inner = inner_loops(runs_.of(nest_->inner));
  row_position_ = inner.position;
  Point point{outer_};
  point.runs.insert(point.runs.end(), inner.point.begin(), inner.point.end());
  go_to(std::move(point));

  Body innermost;
  for (const auto& [node, reg] : mine) {
    innermost.push_back({Accumulate{reg->integer, reduction(node).combine, reduced_value(node)}});
  }
  add_to_outer(costs, level, innermost, inner.position);
  store_pass(costs, level, innermost);
  std::vector<std::pair<int, int64_t>> now_kept;
  if (keeps_rows_ && !in_lanes) {
    for (const auto& [node, pass] : costs.kept_rows()) {
      if (pass != level) continue;
      const int64_t row = add_own("row", computed_in(graph_.node(node).dtype), Space::kScratch,
                                  values_.product(nest_->inner));
      innermost.push_back({Store{row, inner.position, values_.value(node)}});
      now_kept.emplace_back(node, row);
    }
  }
  Body checked;
  add_checks(checked);
  for (Statement& s : innermost) checked.push_back(std::move(s));
  if (!checked.empty()) {
    if (!in_lanes && !inner.loops.empty()) {
      Loop& last = inner.loops.back();
      last.kind = Loop::Kind::kVector;
      last.width = lanes_;
      const int cost = costs.of_pass(level);
      last.unroll = cost <= 12 ? 4 : cost <= 40 ? 2 : 1;
    }
    nest_loops(body, std::move(inner.loops), std::move(checked));
  }
  for (const auto& [node, row] : now_kept) rows_[node] = row;
  for (const auto& [node, reg] : mine) registers_[node] = finished(node, reg);
}

// The passes over one row, then what there is one of for each row.
void CpuSchedule::emit_row(const RowCosts& costs, Body& body) {
  if (keeps_rows_ && nest_->order == Order::kRows) {
    Point first{outer_};
    for (const Run& run : runs_.of(nest_->inner)) first.runs.emplace_back(run, number(0));
    const Expr length = values_.product(nest_->inner);
    draw_rows(body, nest_->inner, std::move(first), length, length);
  }
  for (int level = 0; level < costs.num_passes(); ++level) emit_pass(costs, level, body);
  Body last = row_results(costs);
  add_checks(body);
  for (Statement& s : last) body.push_back(std::move(s));
}

void CpuSchedule::begin_outer_reductions(Body& body) {
  columns_.clear();
  totals_.clear();
  const std::set<int> outer(nest_->outer.begin(), nest_->outer.end());
  for (const int node : nest_->outer_reductions) {
    if (graph_.reduced(node).size() > outer.size()) {
      totals_[node] = declare(body, identity(node));
      continue;
    }
    const Expr length = values_.product(nest_->inner);
    columns_[node] = add_own("column", reduction(node).accumulator, Space::kScratch, length);
    Loop loop = vector_loop(length, 4);
    loop.body.push_back({Store{columns_[node], loop.variable, identity(node)}});
    body.push_back({std::move(loop)});
  }
}

// Writes what a block of rows gives to buffers of one value, or row, for each block.
std::vector<std::pair<int, int64_t>> CpuSchedule::end_outer_reductions(Body& body, Expr task,
                                                                       Expr tasks) {
  std::vector<std::pair<int, int64_t>> partials;
  const Expr length = values_.product(nest_->inner);
  for (const int node : nest_->outer_reductions) {
    const DType type = reduction(node).accumulator;
    if (const auto total = totals_.find(node); total != totals_.end()) {
      const int64_t partial = add_own("partial", type, Space::kTemporary, tasks);
      body.push_back({Store{partial, task, total->second}});
      partials.emplace_back(node, partial);
      continue;
    }
    const int64_t partial =
        add_own("partial", type, Space::kTemporary, pool().multiply(tasks, length));
    Loop loop = vector_loop(length, 4);
    const Expr value = pool().load(columns_.at(node), type, loop.variable);
    const Expr at = pool().add(pool().multiply(task, length), loop.variable);
    loop.body.push_back({Store{partial, at, value}});
    body.push_back({std::move(loop)});
    partials.emplace_back(node, partial);
  }
  return partials;
}

void CpuSchedule::emit_rows() {
  const RowCosts costs(graph_, *nest_);
  const Expr rows = values_.product(nest_->outer), length = values_.product(nest_->inner);
  Stage stage;
  if (nest_->outer_reductions.empty()) {
    stage.tasks = rows;
    stage.task = pool().variable(rows);
    stage.grain = grain_of(length);
    outer_ = outer_point(runs_.of(nest_->outer), stage.task);
    emit_row(costs, stage.body);
    kernel_.stages.push_back(std::move(stage));
    return;
  }
  // Blocks depend on extents alone, so that sums do not depend on the number of threads.
  const Expr block = max(ceil_divide(rows, number(kMostBlocks)), grain_of(length));
  stage.tasks = ceil_divide(rows, block);
  stage.task = pool().variable(stage.tasks);
  const Expr first = pool().multiply(stage.task, block);
  Loop loop;
  loop.extent = min(block, pool().subtract(rows, first));
  loop.variable = pool().variable(loop.extent);
  begin_outer_reductions(stage.body);
  outer_ = outer_point(runs_.of(nest_->outer), pool().add(first, loop.variable));
  emit_row(costs, loop.body);
  stage.body.push_back({std::move(loop)});
  const auto partials = end_outer_reductions(stage.body, stage.task, stage.tasks);
  const Expr count = stage.tasks;
  kernel_.stages.push_back(std::move(stage));
  emit_combines(partials, count);
}

// Vectors run over the last run of the outer axes, each lane through a row of its own.
void CpuSchedule::emit_lanes() {
  const RowCosts costs(graph_, *nest_);
  std::vector<Run> outer = runs_.of(nest_->outer);
  const Run across = outer.back();
  outer.pop_back();
  const Expr width = number(4 * lanes_), length = values_.product(across);
  const Expr blocks = ceil_divide(length, width);
  Expr others = number(1);
  for (const Run& run : outer) others = pool().multiply(others, values_.product(run));
  Stage stage;
  stage.tasks = pool().multiply(others, blocks);
  stage.task = pool().variable(stage.tasks);
  stage.grain = grain_of(pool().multiply(width, values_.product(nest_->inner)));
  const Expr first = pool().multiply(pool().modulo(stage.task, blocks), width);
  Loop loop;
  loop.kind = Loop::Kind::kVector;
  loop.width = 4 * lanes_;
  loop.extent = min(width, pool().subtract(length, first));
  loop.variable = pool().variable(loop.extent);
  outer_ = outer_point(outer, pool().floor_divide(stage.task, blocks));
  outer_.emplace_back(across, pool().add(first, loop.variable));
  emit_row(costs, loop.body);
  stage.body.push_back({std::move(loop)});
  kernel_.stages.push_back(std::move(stage));
}

// The last inner run in pieces, each of them a task.
void CpuSchedule::emit_chunks() {
  const RowCosts costs(graph_, *nest_);
  std::vector<Run> inner = runs_.of(nest_->inner);
  const Run last = inner.empty() ? Run() : inner.back();
  if (!inner.empty()) inner.pop_back();
  const Expr rows = values_.product(nest_->outer), length = values_.product(last);
  const bool draws = !drawn_along(last).empty();
  const Expr chunk = number(draws ? kDrawnChunk : kChunk), chunks = ceil_divide(length, chunk);
  Expr others = number(1);
  for (const Run& run : inner) others = pool().multiply(others, values_.product(run));
  const Expr pieces = pool().multiply(others, chunks);
  Stage stage;
  stage.tasks = pool().multiply(rows, pieces);
  stage.task = pool().variable(stage.tasks);
  stage.grain = grain_of(min(length, chunk));
  const Expr piece = pool().modulo(stage.task, pieces);
  const Expr first = pool().multiply(pool().modulo(piece, chunks), chunk);
  outer_ = outer_point(runs_.of(nest_->outer), pool().floor_divide(stage.task, pieces));
  const auto rest = outer_point(inner, pool().floor_divide(piece, chunks));
  Loop loop = vector_loop(min(chunk, pool().subtract(length, first)), 1);
  const int cost = costs.of_pass(0);
  loop.unroll = cost <= 12 ? 4 : cost <= 40 ? 2 : 1;
  Point point{outer_};
  point.runs.insert(point.runs.end(), rest.begin(), rest.end());
  if (draws) {
    Point begin = point;
    begin.runs.emplace_back(last, first);
    draw_rows(stage.body, last, std::move(begin), loop.extent, chunk);
    row_position_ = loop.variable;
  }
  if (!last.empty()) point.runs.emplace_back(last, pool().add(first, loop.variable));
  go_to(std::move(point));

  std::vector<std::pair<int, Expr>> sums;
  Body innermost;
  for (const int node : nest_->row_reductions) {
    const Expr reg = declare(stage.body, identity(node));
    innermost.push_back({Accumulate{reg->integer, reduction(node).combine, reduced_value(node)}});
    sums.emplace_back(node, reg);
  }
  store_results(innermost);
  add_checks(loop.body);
  for (Statement& s : innermost) loop.body.push_back(std::move(s));
  if (last.empty()) {  // one element
    for (Statement& s : loop.body) stage.body.push_back(std::move(s));
  } else {
    stage.body.push_back({std::move(loop)});
  }
  std::vector<std::pair<int, int64_t>> partials;
  for (const auto& [node, reg] : sums) {
    partials.emplace_back(node, add_own("partial", reg->type, Space::kTemporary, stage.tasks));
    stage.body.push_back({Store{partials.back().second, stage.task, reg}});
  }
  kernel_.stages.push_back(std::move(stage));
  for (const auto& [node, buffer] : partials) emit_combine(node, buffer, rows, pieces);
}

// One value for each row of `count` partial ones.
void CpuSchedule::emit_combine(int node, int64_t partial, Expr rows, Expr count) {
  const Reduction r = reduction(node);
  Stage stage;
  stage.tasks = rows;
  stage.task = pool().variable(rows);
  stage.grain = grain_of(count);
  const Expr reg = declare(stage.body, identity(node));
  Loop loop = vector_loop(count, 1);
  const Expr at = pool().add(pool().multiply(stage.task, count), loop.variable);
  loop.body.push_back(
      {Accumulate{reg->integer, r.combine, pool().load(partial, r.accumulator, at)}});
  stage.body.push_back({std::move(loop)});
  const bool whole = is_integer_constant(rows, 1);
  go_to(Point{whole ? std::vector<std::pair<Run, Expr>>()
                    : outer_point(runs_.of(nest_->outer), stage.task)});
  store_reduction(stage.body, node, finished(node, reg));
  kernel_.stages.push_back(std::move(stage));
}

// A row out of `count` partial ones.
void CpuSchedule::emit_column_combine(int node, int64_t partial, Expr count) {
  const Reduction r = reduction(node);
  const Expr length = values_.product(nest_->inner), width = number(16 * lanes_);
  Stage stage;
  stage.tasks = ceil_divide(length, width);
  stage.task = pool().variable(stage.tasks);
  stage.grain = grain_of(pool().multiply(width, count));
  const Expr first = pool().multiply(stage.task, width);
  Loop across = vector_loop(min(width, pool().subtract(length, first)), 1);
  const Expr column = pool().add(first, across.variable);
  const Expr reg = declare(across.body, identity(node));
  Loop blocks;
  blocks.extent = count;
  blocks.variable = pool().variable(count);
  const Expr at = pool().add(pool().multiply(blocks.variable, length), column);
  blocks.body.push_back(
      {Accumulate{reg->integer, r.combine, pool().load(partial, r.accumulator, at)}});
  across.body.push_back({std::move(blocks)});
  go_to(Point{outer_point(runs_.of(nest_->inner), column)});
  store_reduction(across.body, node, finished(node, reg));
  stage.body.push_back({std::move(across)});
  kernel_.stages.push_back(std::move(stage));
}

// -- variants ----------------------------------------------------------------------------------

// Rows up to this many elements are kept from pass to pass: what is kept fits the second cache.
constexpr int64_t kKeptRow = 1 << 16;
constexpr int64_t kShortRow = 8, kManyRows = 64;
constexpr int64_t kFew = 8, kLongRow = 1 << 17;
constexpr int64_t kStreamedBytes = 16 << 20;

}  // namespace

std::string name_of_variant(Variant variant) {
  static constexpr const char* kNames[] = {"rows", "long rows", "short rows", "few rows"};
  return std::string(kNames[order_of(variant)]) + (variant & kStreamed ? ", streamed" : "");
}

namespace {

// The extents of a value with the sizes of a call.
struct Extents {
  const Graph& graph;
  const int64_t* sizes;
  int64_t of(Extent e) const { return e.size < 0 ? e.number : sizes[e.size]; }
  int64_t of(const Axes& axes) const {
    int64_t product = 1;
    for (const int axis : axes) product *= of(graph.axis_extents[static_cast<size_t>(axis)]);
    return product;
  }
};

Variant order_for(const GroupForm& form, const Extents& extents) {
  for (const RowShape& shape : form.row_shapes()) {
    const int64_t rows = extents.of(shape.outer), length = extents.of(shape.inner);
    if (rows <= kFew && length >= kLongRow) return kFewRows;
    if (length > kKeptRow) return kLongRows;
    if (length <= kShortRow && rows >= kManyRows) return kShortRows;
  }
  return kRows;
}

// Whether vectors of all large results begin where such stores may: their last extents are
// multiples of a line of the cache.
bool may_stream(const Graph& graph, const Extents& extents) {
  bool large = false;
  for (size_t k = 0; k < graph.results.size(); ++k) {
    if (graph.in_place[k] >= 0) continue;  // it lies where the caller's tensor does
    const Node& node = graph.node(graph.results[k]);
    const auto bytes = static_cast<int64_t>(size_of(node.dtype));
    int64_t all = bytes;
    for (const Extent e : node.shape) all *= extents.of(e);
    if (!fills_lines(node.dtype) || all < kStreamedBytes) continue;
    large = true;
    if (extents.of(node.shape.back()) * bytes % 64 != 0) return false;
  }
  return large;
}

}  // namespace

Variant choose_variant(const GroupForm& form, const int64_t* sizes) {
  const Extents extents{form.graph(), sizes};
  const Variant order = order_for(form, extents);
  if (order == kShortRows || !may_stream(form.graph(), extents)) return order;
  return static_cast<Variant>(order | kStreamed);
}

std::string why_variant(const GroupForm& form, const int64_t* sizes) {
  const Extents extents{form.graph(), sizes};
  const Variant order = order_for(form, extents);
  std::string why;
  for (const RowShape& shape : form.row_shapes()) {
    const std::string rows = str(extents.of(shape.outer), " rows of ", extents.of(shape.inner));
    if (why.find(rows) == std::string::npos) why += (why.empty() ? "" : ", ") + rows;
  }
  if (why.empty()) {
    why = "no reduction";
  } else if (order == kRows) {
    why += str("; rows up to ", kKeptRow, " stay in the cache");
  } else if (order == kLongRows) {
    why += str("; rows over ", kKeptRow, " do not stay in the cache");
  } else if (order == kShortRows) {
    why += str("; vectors run across ", kManyRows, " rows or more of at most ", kShortRow);
  } else {
    why += str("; threads share rows of ", kLongRow, " or more where there are at most ", kFew);
  }
  if (choose_variant(form, sizes) & kStreamed) {
    why += str("; results of ", kStreamedBytes >> 20, " MiB or more pass the caches");
  }
  return why;
}

Kernel schedule_for_cpu(const GroupForm& form, Variant variant, int lanes) {
  Kernel kernel = CpuSchedule(form.graph(), variant, lanes).build();
  if (!form.stands_beside_updates()) multiply_by_reciprocals(kernel);
  return kernel;
}

}  // namespace paddle::cinn
