// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Nests of loops as stages of blocks. A block takes a row, or several one after the other; its
// threads take neighbouring elements. Reductions go from registers through shuffles and shared
// memory to a value that every thread has. All orders depend on extents alone.
#include "cinn/schedule/blocks.h"

#include "cinn/schedule/nest_schedule.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

constexpr int64_t kPiecesOfThread = 4;  // accesses of a thread to a piece of a row
constexpr int64_t kMostRowBlocks = 512, kLeastRows = 16;  // where rows are added up

class BlockSchedule final : public NestSchedule {
 public:
  BlockSchedule(const Graph& graph, const BlockVariant& variant)
      : NestSchedule(graph,
                     build_nests(graph, variant.order == kFewRows, variant.order == kShortRows),
                     std::vector<bool>(graph.results.size()), false),
        variant_(variant) {
    if (variant_.lanes > 1) require_multiples();
  }

 private:
  void require_multiples() {
    kernel_.multiples.assign(graph_.num_kernel_sizes(), 1);
    for (const Nest& nest : nests_.list) {
      if (nest.inner.empty()) continue;
      const Extent e = graph_.axis_extents[static_cast<size_t>(nest.inner.back())];
      if (e.size >= 0) {
        kernel_.multiples[static_cast<size_t>(e.size)] = variant_.lanes;
      } else {
        PADDLE_CHECK_RUNTIME(e.number % variant_.lanes == 0, "cinn: rows of ", e.number,
                             " elements cannot be read ", variant_.lanes, " elements at once.");
      }
    }
  }

  // -- loops --
  Loop serial(Expr extent) {
    Loop loop;
    loop.extent = extent;
    loop.variable = pool().variable(extent);
    return loop;
  }
  Loop threads(Expr extent) {
    Loop loop = serial(extent);
    loop.kind = Loop::Kind::kThreads;
    return loop;
  }
  // By the first thread.
  void once(Body& body, Body statements) {
    if (statements.empty()) return;
    Loop loop = threads(number(1));
    loop.body = std::move(statements);
    body.push_back({std::move(loop)});
  }
  // Loops over the extent, a thread taking `lanes` neighbours; `fill` makes the body at a position.
  template <typename Fill>
  void across(Body& body, Expr extent, int lanes, const Fill& fill) {
    if (lanes == 1) {
      Loop loop = threads(extent);
      fill(loop.body, loop.variable);
      if (!loop.body.empty()) body.push_back({std::move(loop)});
      return;
    }
    Loop loop = threads(pool().floor_divide(extent, number(lanes)));
    Loop inner = serial(number(lanes));
    inner.kind = Loop::Kind::kVector;
    inner.width = lanes;
    fill(inner.body, pool().add(pool().multiply(loop.variable, number(lanes)), inner.variable));
    if (inner.body.empty()) return;
    loop.body.push_back({std::move(inner)});
    body.push_back({std::move(loop)});
  }
  // Over all inner runs, the last one across the threads.
  template <typename Fill>
  void over_row(Body& body, const std::vector<Run>& runs, const Fill& fill) {
    std::vector<Loop> loops;
    std::vector<std::pair<Run, Expr>> point;
    Expr position = number(0);
    for (size_t i = 0; i + 1 < runs.size(); ++i) {
      loops.push_back(serial(values_.product(runs[i])));
      position = pool().add(pool().multiply(position, loops.back().extent), loops.back().variable);
      point.emplace_back(runs[i], loops.back().variable);
    }
    Body innermost;
    const Expr length = runs.empty() ? number(1) : values_.product(runs.back());
    across(innermost, length, runs.empty() ? 1 : variant_.lanes, [&](Body& inside, Expr at) {
      auto whole = point;
      if (!runs.empty()) whole.emplace_back(runs.back(), at);
      fill(inside, whole, pool().add(pool().multiply(position, length), at));
    });
    if (!innermost.empty()) nest_loops(body, std::move(loops), std::move(innermost));
  }

  // -- reductions over a block --
  // What the point adds to a register.
  [[gnu::noinline]] void add_to(Body& body, Expr reg, int node) {
    body.push_back({Accumulate{reg->integer, reduction(node).combine, reduced_value(node)}});
  }
  // The value of all threads out of a register that each has; every thread gets it.
  Expr reduced(Body& body, Combine how, Expr reg) {
    for (int mask = kWarp / 2; mask > 0; mask /= 2) {
      const Expr other =
          pool().binary(ExprOp::kShuffleXor, reg, pool().integer(DType::kInt32, mask));
      body.push_back({Assign{reg->integer, combine(how, reg, other)}});
    }
    if (variant_.threads == kWarp) return reg;
    const int warps = variant_.threads / kWarp;
    const int64_t partial = add_own("warps", reg->type, Space::kShared, number(warps));
    Loop loop = threads(number(variant_.threads));
    const Expr lane = pool().modulo(loop.variable, number(kWarp));
    If first{pool().binary(ExprOp::kEqual, lane, number(0)), {}};
    const Expr warp = pool().floor_divide(loop.variable, number(kWarp));
    first.body.push_back({Store{partial, warp, reg}});
    loop.body.push_back({std::move(first)});
    body.push_back({std::move(loop)});
    body.push_back({Barrier{}});
    std::vector<Expr> values;
    for (int w = 0; w < warps; ++w) values.push_back(pool().load(partial, reg->type, number(w)));
    while (values.size() > 1) {
      std::vector<Expr> pairs;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        pairs.push_back(combine(how, values[i], values[i + 1]));
      if (values.size() % 2) pairs.push_back(values.back());
      values = std::move(pairs);
    }
    return declare(body, values[0]);
  }
  Stage stage_of(Expr tasks) {
    Stage stage;
    stage.tasks = tasks;
    stage.task = pool().variable(tasks);
    stage.threads = variant_.threads;
    return stage;
  }
  static void append(Body& body, Body more) {
    for (Statement& s : more) body.push_back(std::move(s));
  }

  void emit() override {
    switch (nest_->order) {
      case Order::kRows:
        return emit_rows();
      case Order::kLanes:
        return emit_lanes();
      case Order::kChunks:
        return nest_->row_reductions.empty() && variant_.order == kShortRows ? emit_flat()
                                                                             : emit_chunks();
    }
  }
  void emit_rows();
  void emit_row(const RowCosts& costs, Body& body);
  void emit_pass(const RowCosts& costs, int level, Body& body);
  void emit_lanes();
  void emit_lane_pass(const RowCosts& costs, int level, Body& body);
  void emit_flat();
  void emit_chunks();
  void begin_outer_reductions(Body& body);
  std::vector<std::pair<int, int64_t>> end_outer_reductions(Body& body, Expr task, Expr tasks);
  void emit_combine(int node, int64_t partial, Expr rows, Expr count) override;
  void emit_column_combine(int node, int64_t partial, Expr count) override;

  const BlockVariant variant_;
};

// One pass over the inner runs.
void BlockSchedule::emit_pass(const RowCosts& costs, int level, Body& body) {
  const Registers mine = begin_reductions(costs, level, body);
  std::vector<std::pair<int, int64_t>> now_kept;
  over_row(body, runs_.of(nest_->inner),
           [&](Body& inside, const std::vector<std::pair<Run, Expr>>& inner, Expr position) {
             row_position_ = position;
             Point point{outer_};
             point.runs.insert(point.runs.end(), inner.begin(), inner.end());
             go_to(std::move(point));
             Body work;
             for (const auto& [node, reg] : mine) {
               add_to(work, reg, node);
             }
             add_to_outer(costs, level, work, position);
             store_pass(costs, level, work);
             for (const auto& [node, pass] : costs.kept_rows()) {
               if (pass != level || variant_.order == kLongRows) continue;
               const int64_t row = add_own("row", computed_in(graph_.node(node).dtype),
                                           Space::kShared, values_.product(nest_->inner));
               work.push_back({Store{row, position, values_.value(node)}});
               now_kept.emplace_back(node, row);
             }
             add_checks(inside);
             append(inside, std::move(work));
           });
  for (const auto& [node, row] : now_kept) rows_[node] = row;
  for (const auto& [node, reg] : mine) {
    registers_[node] = finished(node, reduced(body, reduction(node).combine, reg));
  }
}

// The passes over one row, then what there is one of for each row.
void BlockSchedule::emit_row(const RowCosts& costs, Body& body) {
  for (int level = 0; level < costs.num_passes(); ++level) emit_pass(costs, level, body);
  Body last = row_results(costs);
  add_checks(body);
  once(body, std::move(last));
}

void BlockSchedule::begin_outer_reductions(Body& body) {
  columns_.clear();
  totals_.clear();
  const std::set<int> outer(nest_->outer.begin(), nest_->outer.end());
  const Space space = variant_.order == kLongRows ? Space::kScratch : Space::kShared;
  for (const int node : nest_->outer_reductions) {
    if (graph_.reduced(node).size() > outer.size()) {
      totals_[node] = declare(body, identity(node));
      continue;
    }
    const Expr length = values_.product(nest_->inner);
    columns_[node] = add_own("column", reduction(node).accumulator, space, length);
    across(body, length, variant_.lanes, [&](Body& inside, Expr at) {
      inside.push_back({Store{columns_[node], at, identity(node)}});
    });
  }
  body.push_back({Barrier{}});
}

// Writes what a block of rows gives to buffers of one value, or row, for each block.
std::vector<std::pair<int, int64_t>> BlockSchedule::end_outer_reductions(Body& body, Expr task,
                                                                         Expr tasks) {
  std::vector<std::pair<int, int64_t>> partials;
  const Expr length = values_.product(nest_->inner);
  body.push_back({Barrier{}});
  for (const int node : nest_->outer_reductions) {
    const Reduction r = reduction(node);
    if (const auto total = totals_.find(node); total != totals_.end()) {
      const int64_t partial = add_own("partial", r.accumulator, Space::kTemporary, tasks);
      const Expr value = reduced(body, r.combine, total->second);
      Body store;
      store.push_back({Store{partial, task, value}});
      once(body, std::move(store));
      partials.emplace_back(node, partial);
      continue;
    }
    const int64_t partial =
        add_own("partial", r.accumulator, Space::kTemporary, pool().multiply(tasks, length));
    across(body, length, variant_.lanes, [&](Body& inside, Expr at) {
      const Expr value = pool().load(columns_.at(node), r.accumulator, at);
      inside.push_back({Store{partial, pool().add(pool().multiply(task, length), at), value}});
    });
    partials.emplace_back(node, partial);
  }
  return partials;
}

void BlockSchedule::emit_rows() {
  const RowCosts costs(graph_, *nest_);
  const Expr rows = values_.product(nest_->outer);
  if (nest_->outer_reductions.empty()) {
    Stage stage = stage_of(rows);
    outer_ = outer_point(runs_.of(nest_->outer), stage.task);
    emit_row(costs, stage.body);
    kernel_.stages.push_back(std::move(stage));
    return;
  }
  const Expr block = max(ceil_divide(rows, number(kMostRowBlocks)), number(kLeastRows));
  Stage stage = stage_of(ceil_divide(rows, block));
  const Expr first = pool().multiply(stage.task, block);
  Loop loop = serial(min(block, pool().subtract(rows, first)));
  begin_outer_reductions(stage.body);
  outer_ = outer_point(runs_.of(nest_->outer), pool().add(first, loop.variable));
  // The row before may be read still.
  if (!nest_->row_reductions.empty()) loop.body.push_back({Barrier{}});
  emit_row(costs, loop.body);
  stage.body.push_back({std::move(loop)});
  const auto partials = end_outer_reductions(stage.body, stage.task, stage.tasks);
  const Expr count = stage.tasks;
  kernel_.stages.push_back(std::move(stage));
  emit_combines(partials, count);
}

// A pass of one thread over a row of its own.
void BlockSchedule::emit_lane_pass(const RowCosts& costs, int level, Body& body) {
  const Registers mine = begin_reductions(costs, level, body);
  Inner inner = inner_loops(runs_.of(nest_->inner));
  Point point{outer_};
  point.runs.insert(point.runs.end(), inner.point.begin(), inner.point.end());
  go_to(std::move(point));
  Body work, checked;
  for (const auto& [node, reg] : mine) {
    add_to(work, reg, node);
  }
  store_pass(costs, level, work);
  add_checks(checked);
  append(checked, std::move(work));
  if (!checked.empty()) nest_loops(body, std::move(inner.loops), std::move(checked));
  for (const auto& [node, reg] : mine) registers_[node] = finished(node, reg);
}

// Threads run over the last run of the outer axes, each through a row of its own.
void BlockSchedule::emit_lanes() {
  const RowCosts costs(graph_, *nest_);
  std::vector<Run> outer = runs_.of(nest_->outer);
  const Run last = outer.empty() ? Run() : outer.back();
  if (!outer.empty()) outer.pop_back();
  const Expr width = number(variant_.threads), length = values_.product(last);
  const Expr blocks = ceil_divide(length, width);
  Expr others = number(1);
  for (const Run& run : outer) others = pool().multiply(others, values_.product(run));
  Stage stage = stage_of(pool().multiply(others, blocks));
  const Expr first = pool().multiply(pool().modulo(stage.task, blocks), width);
  Loop loop = threads(min(width, pool().subtract(length, first)));
  outer_ = outer_point(outer, pool().floor_divide(stage.task, blocks));
  if (!last.empty()) outer_.emplace_back(last, pool().add(first, loop.variable));
  for (int level = 0; level < costs.num_passes(); ++level) emit_lane_pass(costs, level, loop.body);
  Body stores = row_results(costs);
  add_checks(loop.body);
  append(loop.body, std::move(stores));
  stage.body.push_back({std::move(loop)});
  kernel_.stages.push_back(std::move(stage));
}

// All elements one after the other, whatever their axes: rows are shorter than a block.
void BlockSchedule::emit_flat() {
  Axes all = nest_->outer;
  all.insert(all.end(), nest_->inner.begin(), nest_->inner.end());
  const Expr length = values_.product(all);
  const Expr piece = number(variant_.threads * kPiecesOfThread);
  Stage stage = stage_of(ceil_divide(length, piece));
  const Expr first = pool().multiply(stage.task, piece);
  Loop loop = threads(min(piece, pool().subtract(length, first)));
  outer_ = outer_point(runs_.of(all), pool().add(first, loop.variable));
  go_to(Point{outer_});
  Body stores;
  for (const int k : nest_->stores) store_result(stores, static_cast<size_t>(k));
  add_checks(loop.body);
  append(loop.body, std::move(stores));
  stage.body.push_back({std::move(loop)});
  kernel_.stages.push_back(std::move(stage));
}

// The last inner run in pieces, each of them a task.
void BlockSchedule::emit_chunks() {
  std::vector<Run> inner = runs_.of(nest_->inner);
  const Run last = inner.empty() ? Run() : inner.back();
  if (!inner.empty()) inner.pop_back();
  const int lanes = last.empty() ? 1 : variant_.lanes;
  const Expr rows = values_.product(nest_->outer), length = values_.product(last);
  const Expr chunk = number(int64_t{variant_.threads} * lanes * kPiecesOfThread);
  const Expr chunks = ceil_divide(length, chunk);
  Expr others = number(1);
  for (const Run& run : inner) others = pool().multiply(others, values_.product(run));
  const Expr pieces = pool().multiply(others, chunks);
  Stage stage = stage_of(pool().multiply(rows, pieces));
  const Expr piece = pool().modulo(stage.task, pieces);
  const Expr first = pool().multiply(pool().modulo(piece, chunks), chunk);
  outer_ = outer_point(runs_.of(nest_->outer), pool().floor_divide(stage.task, pieces));
  const auto rest = outer_point(inner, pool().floor_divide(piece, chunks));
  std::vector<std::pair<int, Expr>> sums;
  for (const int node : nest_->row_reductions) {
    sums.emplace_back(node, declare(stage.body, identity(node)));
  }
  const Expr here = min(chunk, pool().subtract(length, first));
  across(stage.body, here, lanes, [&](Body& inside, Expr at) {
    Point point{outer_};
    point.runs.insert(point.runs.end(), rest.begin(), rest.end());
    if (!last.empty()) point.runs.emplace_back(last, pool().add(first, at));
    go_to(std::move(point));
    Body work;
    for (const auto& [node, reg] : sums) {
      add_to(work, reg, node);
    }
    for (const int k : nest_->stores) store_result(work, static_cast<size_t>(k));
    add_checks(inside);
    append(inside, std::move(work));
  });
  std::vector<std::pair<int, int64_t>> partials;
  for (const auto& [node, reg] : sums) {
    const Expr value = reduced(stage.body, reduction(node).combine, reg);
    partials.emplace_back(node, add_own("partial", reg->type, Space::kTemporary, stage.tasks));
    Body store;
    store.push_back({Store{partials.back().second, stage.task, value}});
    once(stage.body, std::move(store));
  }
  kernel_.stages.push_back(std::move(stage));
  for (const auto& [node, buffer] : partials) emit_combine(node, buffer, rows, pieces);
}

// One value for each row of `count` partial ones.
void BlockSchedule::emit_combine(int node, int64_t partial, Expr rows, Expr count) {
  const Reduction r = reduction(node);
  Stage stage = stage_of(rows);
  const Expr reg = declare(stage.body, identity(node));
  across(stage.body, count, 1, [&](Body& inside, Expr i) {
    const Expr at = pool().add(pool().multiply(stage.task, count), i);
    inside.push_back(
        {Accumulate{reg->integer, r.combine, pool().load(partial, r.accumulator, at)}});
  });
  const Expr value = reduced(stage.body, r.combine, reg);
  const bool whole = is_integer_constant(rows, 1);
  go_to(Point{whole ? std::vector<std::pair<Run, Expr>>()
                    : outer_point(runs_.of(nest_->outer), stage.task)});
  Body store;
  store_reduction(store, node, finished(node, value));
  once(stage.body, std::move(store));
  kernel_.stages.push_back(std::move(stage));
}

// A row out of `count` partial ones: a column for each thread.
void BlockSchedule::emit_column_combine(int node, int64_t partial, Expr count) {
  const Reduction r = reduction(node);
  const Expr length = values_.product(nest_->inner), width = number(variant_.threads);
  Stage stage = stage_of(ceil_divide(length, width));
  const Expr first = pool().multiply(stage.task, width);
  across(stage.body, min(width, pool().subtract(length, first)), 1, [&](Body& inside, Expr i) {
    const Expr column = pool().add(first, i);
    const Expr reg = declare(inside, identity(node));
    Loop blocks = serial(count);
    const Expr at = pool().add(pool().multiply(blocks.variable, length), column);
    blocks.body.push_back(
        {Accumulate{reg->integer, r.combine, pool().load(partial, r.accumulator, at)}});
    inside.push_back({std::move(blocks)});
    go_to(Point{outer_point(runs_.of(nest_->inner), column)});
    store_reduction(inside, node, finished(node, reg));
  });
  kernel_.stages.push_back(std::move(stage));
}

// -- variants ----------------------------------------------------------------------------------

// Rows below this are shared by a warp; from the last on, a few are cut into pieces.
constexpr int64_t kWarpRow = 512, kShortRow = 8, kManyRows = 1024;
constexpr int64_t kFew = 64, kPiecesRow = 1 << 15;
constexpr int64_t kFlatRow = 256;

int64_t extent_of(const Graph& graph, const Axes& axes, const int64_t* sizes) {
  int64_t product = 1;
  for (const int axis : axes) {
    const Extent e = graph.axis_extents[static_cast<size_t>(axis)];
    product *= e.size < 0 ? e.number : sizes[e.size];
  }
  return product;
}

BlockVariant order_for(const GroupForm& form, const int64_t* sizes) {
  const Graph& graph = form.graph();
  BlockVariant variant;
  for (const RowShape& shape : form.row_shapes()) {
    const int64_t rows = extent_of(graph, shape.outer, sizes);
    const int64_t length = extent_of(graph, shape.inner, sizes);
    if (rows <= kFew && length >= kPiecesRow) variant.order = kFewRows;
    if (length <= kShortRow && rows >= kManyRows) variant.order = kShortRows;
    if (variant.order != kRows) return variant;
    if (length < kWarpRow) variant.threads = kWarp;
  }
  if (form.row_shapes().empty()) {
    for (const int r : graph.results) {
      const Axes all = graph.flat(r);
      if (!all.empty() && extent_of(graph, {all.back()}, sizes) < kFlatRow)
        variant.order = kShortRows;
    }
  }
  return variant;
}

// As many elements as 16 bytes of the narrowest argument hold, where every row is a multiple.
int lanes_for(const GroupForm& form, const BlockVariant& variant, const int64_t* sizes) {
  const Graph& graph = form.graph();
  if (variant.order == kShortRows) return 1;
  size_t narrowest = 8;
  for (size_t i = 0; i < graph.num_inputs; ++i)
    narrowest = std::min(narrowest, size_of(graph.nodes[i].dtype));
  for (const int r : graph.results) narrowest = std::min(narrowest, size_of(graph.node(r).dtype));
  const int lanes = static_cast<int>(16 / std::max<size_t>(narrowest, 2));
  const Nests nests = build_nests(graph, variant.order == kFewRows, false);
  for (const Nest& nest : nests.list) {
    if (!nest.inner.empty() && extent_of(graph, {nest.inner.back()}, sizes) % lanes != 0) return 1;
  }
  return lanes;
}

}  // namespace

int64_t shared_bytes(const Kernel& kernel, const int64_t* sizes) {
  int64_t total = 0;
  for (const Buffer& b : kernel.buffers) {
    if (b.space != Space::kShared) continue;
    total += (evaluate(b.elements, sizes) * static_cast<int64_t>(size_of(b.dtype)) + 15) / 16 * 16;
  }
  return total;
}

BlockVariant choose_block_variant(const GroupForm& form, const int64_t* sizes) {
  BlockVariant variant = order_for(form, sizes);
  variant.lanes = lanes_for(form, variant, sizes);
  if (shared_bytes(schedule_for_blocks(form, variant), sizes) > kSharedBytes) {
    variant.order = kLongRows;
  }
  return variant;
}

Kernel schedule_for_blocks(const GroupForm& form, const BlockVariant& variant) {
  return BlockSchedule(form.graph(), variant).build();
}

}  // namespace paddle::cinn
