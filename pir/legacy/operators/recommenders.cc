// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of recommenders and of optical flow: packed tables, trees of items, correlated images.
#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kToTheEnd = INT32_MAX;

// A row of the table: its least and its largest number, then codes of 8 bits, four an element.
void packed_table(OpTranslation& op) {
  const Term table = Term::in(op, "W"), ids = Term::in(op, "Ids");
  if (table.rank() != 2 || ids.rank() < 1) op.fail("a table of rank 2 and ids are expected");
  if (op.integer("padding_idx", -1) != -1) op.unsupported("padding_idx is set");
  const int64_t columns = table.known_extent(1);
  if (columns < 3) op.fail(str("the table has ", columns, " columns"));
  const Term rows = table.gather(ids.reshape(Ints{-1}));
  const Term least = rows.part(1, 0, 1), most = rows.part(1, 1, 2);
  const Term codes = rows.make("view_dtype", {{"dtype", DType::kUInt8}})
                         .part(1, 2 * 4, columns * 4)
                         .cast(table.dtype());
  const Term all = codes * ((most - least) * (1.0 / 256)) + least;
  const Term outer = ids.extents().part(0, 0, ids.rank() - 1);
  const Term width = Term::numbers(op, {static_cast<double>((columns - 2) * 4)}, DType::kInt64);
  op.set("Out", all.reshape(Term::concat({outer, width}, 0)));
}

// Rows of the tree: item, level, parent, children. Items without children have zeros.
void children(OpTranslation& op) {
  const Term x = Term::in(op, "X"), tree = Term::in(op, "TreeInfo");
  const int64_t count = op.integer("child_nums", 0);
  if (tree.rank() != 2 || count < 1) op.fail("a tree of rank 2 and child_nums are expected");
  const DType dtype = op.dtype("dtype", DType::kInt32);
  const Term rows = tree.gather(x.reshape(Ints{-1}).cast(DType::kInt64));
  const Term width = Term::numbers(op, {static_cast<double>(count)}, DType::kInt64);
  const Term extents = Term::concat({x.extents(), width}, 0);
  const Term zero = rows.number(0);
  const Term has = x.reshape({-1, 1}).with("not_equal", x.number(0)) &&
                   rows.part(1, 3, 4).with("not_equal", zero);
  const Term below = has.where(rows.part(1, 3, 3 + count), rows.part(1, 3, 3 + count).like(0));
  const Term items = tree.gather(below.reshape(Ints{-1}).cast(DType::kInt64)).part(1, 0, 1);
  op.set("Child", below.reshape(extents).cast(dtype));
  op.set("LeafMask", items.with("not_equal", zero).cast(dtype).reshape(extents));
}

// How alike the channels of one image are to those of another one, moved by each displacement
// (Dosovitskiy et al. 2015, FlowNet); row by row of displacements.
void correlation(OpTranslation& op) {
  const int64_t pad = op.integer("pad_size", 0), reach = op.integer("max_displacement", 0);
  const int64_t stride = op.integer("stride1", 1), step = op.integer("stride2", 1);
  if (op.integer("kernel_size", 1) != 1) op.unsupported("its kernel has more than one element");
  if (pad < 0 || reach < 0 || stride < 1 || step < 1 || reach / step > 32) {
    op.fail("a size is out of range");
  }
  const auto padded = [&](const char* slot) {
    const Term x = Term::in(op, slot);
    if (x.rank() != 4) op.fail("images of rank 4 are expected");
    return x.make("pad", {{"paddings", Ints{0, 0, 0, 0, pad, pad, pad, pad}}, {"pad_value", 0.0}});
  };
  // The middle of an image, moved.
  const auto moved = [&](const Term& x, int64_t down, int64_t right) {
    const auto end = [&](int64_t by) { return by == reach ? kToTheEnd : by - reach; };
    return x.make("strided_slice", {{"axes", Ints{2, 3}},
                                    {"starts", Ints{reach + down, reach + right}},
                                    {"ends", Ints{end(down), end(right)}},
                                    {"strides", Ints{stride, stride}}});
  };
  const Term second = padded("Input2"), first = moved(padded("Input1"), 0, 0);
  std::vector<Term> parts;
  const int64_t most = reach / step * step;
  for (int64_t down = -most; down <= most; down += step) {
    for (int64_t right = -most; right <= most; right += step) {
      parts.push_back((first * moved(second, down, right))
                          .make("mean", {{"axis", Ints{1}}, {"keepdim", true}}));
    }
  }
  op.set("Output", Term::concat(parts, 1));
}

}  // namespace

void add_recommenders_translations(TranslationTable& table) {
  table.add("lookup_table_dequant", packed_table);
  table.add("tdm_child", children);
  table.add("correlation", correlation);
}

}  // namespace paddle::pir
