// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Losses over many classes or boxes, and measures.
#include <algorithm>
#include <cmath>

#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;
using Terms = std::vector<Term>;

constexpr DType kPlaces = DType::kInt64;
constexpr int64_t kToTheEnd = INT32_MAX;

Term flat(const Term& x) { return x.reshape(Ints{-1}); }

// `zeros` and at each of the places, which may repeat, the sum of its updates.
Term added(const Term& zeros, const Term& places, const Term& updates) {
  return zeros.make("scatter_nd_add",
                    {{"index", places.unsqueeze(-1).value()}, {"updates", updates.value()}});
}

// The binary cross entropies along the path from the leaf of a class to the root. Without a path
// leaf c is node c + classes of a heap; a place behind the root is an undecided branch, log 2.
void hierarchical_sigmoid(OpTranslation& op) {
  const Term x = Term::in(op, "X"), weight = Term::in(op, "W");
  const int64_t classes = op.integer("num_classes", 2);
  std::optional<Term> node, branch;
  if (op.in_or_null("PathTable")) {
    node = Term::in(op, "PathTable").cast(kPlaces);
    branch = Term::in(op, "PathCode").cast(kPlaces);
  } else {
    if (classes < 2) op.fail(str("num_classes is ", classes));
    std::vector<double> powers(static_cast<size_t>(std::log2(2 * classes - 1)));
    for (size_t k = 0; k < powers.size(); ++k) powers[k] = std::ldexp(1.0, static_cast<int>(k));
    const Term power = Term::numbers(op, powers, kPlaces);
    const Term code =
        Term::in(op, "Label").cast(kPlaces).reshape({-1, 1}) + static_cast<double>(classes);
    branch = code.with("floor_divide", power).with("remainder", power.number(2));
    node = code.with("floor_divide", power * 2) - 1;
  }
  const Term on_path = *node >= node->number(0);
  const Term safe = on_path.where(*node, node->like(0));
  const Term rows = safe.make("embedding", {{"weight", weight.value()}});
  Term score = (rows * x.unsqueeze(1)).sum({2});
  if (Value* bias = op.in_or_null("Bias")) {
    const Term column = Term(op, bias).reshape({-1, 1});
    score = score + safe.make("embedding", {{"weight", column.value()}}).squeeze(2);
  }
  score = score.make("clip", {{"min", -40.0}, {"max", 40.0}});
  const Term loss = score.make("softplus") - branch->cast(score.dtype()) * score;
  op.set("PreOut", score);
  op.set("Out", on_path.where(loss, loss.like(std::log(2.0))).sum({1}, true));
}

// Of probabilities, minus the logarithm of that of the class; labels may be probabilities too.
void cross_entropy(OpTranslation& op) {
  const Term x = Term::in(op, "X"), label = Term::in(op, "Label");
  const int64_t last = x.rank() - 1;
  const auto negative_log = [](const Term& p) {
    return p.make("clip", {{"min", 1e-38}, {"max", 1e38}}).make("log") * -1;
  };
  if (op.flag("soft_label", false)) {
    return op.set("Y", (label * negative_log(x)).sum({last}, true));
  }
  const Term classes = (label.rank() == x.rank() ? label : label.unsqueeze(-1)).cast(kPlaces);
  const Term counts = classes.with(
      "not_equal", classes.number(static_cast<double>(op.integer("ignore_index", -100))));
  const Term safe = counts.where(classes, classes.like(0));
  const Term chosen = x.make("take_along_axis", {{"indices", safe.value()}, {"axis", last}});
  op.set("Y", counts.where(negative_log(chosen), chosen.like(0)));
  op.set("MatchX", counts.where(chosen, chosen.like(1)));
}

// -- yolo_loss ----------------------------------------------------------------------------------

Term binary_cross_entropy(const Term& logit, const Term& target) {
  return logit.make("softplus") - logit * target;
}

// A head of a YOLOv3 network (Redmon & Farhadi 2018) and the labelled boxes.
struct Yolo {
  OpTranslation& op;
  Ints anchors, mask;
  int64_t classes, height, width;
  double input_size;

  explicit Yolo(OpTranslation& given)
      : op(given), anchors(op.integers("anchors")), mask(op.integers("anchor_mask")) {
    const Term x = Term::in(op, "X");
    classes = op.integer("class_num", 1);
    const auto sizes = static_cast<int64_t>(anchors.size() / 2);
    for (const int64_t k : mask) {
      if (k < 0 || k >= sizes) op.fail(str("anchor_mask holds ", k, "; there are ", sizes));
    }
    if (x.rank() != 4 || mask.empty() || classes < 1) op.fail("its attributes do not fit");
    height = op.extent("X", 2);
    width = op.extent("X", 3);
    input_size = static_cast<double>(op.integer("downsample_ratio", 32) * height);
  }
  // Widths (k 0) or heights (k 1) of anchors by `list`, in parts of the input.
  Term sizes(const Ints& list, size_t k, DType dtype, double unit) const {
    std::vector<double> out;
    for (const int64_t i : list) {
      out.push_back(static_cast<double>(anchors[2 * static_cast<size_t>(i) + k]) / unit);
    }
    return Term::numbers(op, out, dtype);
  }
  // [N, anchors * H * W, 5 + classes]
  Term rows() const {
    const auto n = static_cast<int64_t>(mask.size());
    const Term x = Term::in(op, "X").reshape({0, n, 5 + classes, height, width});
    return x.transpose({0, 1, 3, 4, 2}).reshape({0, n * height * width, 5 + classes});
  }
};

// Intersection over union of boxes (x, y, w, h).
Term overlap(const Terms& a, const Terms& b) {
  const auto extent = [&](size_t k) {
    const Term low = (a[k] - a[k + 2] * 0.5).with("maximum", b[k] - b[k + 2] * 0.5);
    const Term high = (a[k] + a[k + 2] * 0.5).with("minimum", b[k] + b[k + 2] * 0.5);
    return (high - low).make("relu");
  };
  const Term both = extent(0) * extent(1);
  return both / (a[2] * a[3] + b[2] * b[3] - both);
}

struct Truth {
  Terms box;  // x, y, w, h, each [N, B]
  Term real, column, row, chosen, cell, best;
};

Truth truth_of(const Yolo& y) {
  const Term boxes = Term::in(y.op, "GTBox");
  Terms box;
  for (int64_t k = 0; k < 4; ++k) box.push_back(boxes.at(2, k));
  const DType dtype = boxes.dtype();
  const Term real = (box[2] > box[2].number(1e-6)) && (box[3] > box[3].number(1e-6));
  for (const size_t k : {2, 3}) box[k] = real.where(box[k], box[k].like(1));
  const auto place = [&](const Term& v, int64_t n) {
    return (v * static_cast<double>(n))
        .make("floor")
        .make("clip", {{"min", 0.0}, {"max", static_cast<double>(n - 1)}});
  };
  const Term column = place(box[0], y.width), row = place(box[1], y.height);
  Ints all;
  std::vector<double> places;
  for (size_t k = 0; k < y.anchors.size() / 2; ++k) {
    all.push_back(static_cast<int64_t>(k));
    const auto at = std::find(y.mask.begin(), y.mask.end(), all.back());
    places.push_back(at == y.mask.end() ? -1 : static_cast<double>(at - y.mask.begin()));
  }
  const Term wide = y.sizes(all, 0, dtype, y.input_size),
             high = y.sizes(all, 1, dtype, y.input_size);
  const Term w = box[2].unsqueeze(-1), h = box[3].unsqueeze(-1);
  const Term both = w.with("minimum", wide) * h.with("minimum", high);
  const Term best = (both / (w * h + wide * high - both))
                        .make("argmax", {{"axis", int64_t{-1}}, {"dtype", kPlaces}});
  const Term table = Term::numbers(y.op, places, kPlaces).unsqueeze(-1);
  const Term anchor = best.make("embedding", {{"weight", table.value()}}).squeeze(2);
  const Term chosen = real && (anchor >= anchor.number(0));
  const Term inside = (row * static_cast<double>(y.width) + column).cast(kPlaces);
  const Term cell = anchor * static_cast<double>(y.height * y.width) + inside;
  return {box, real, column, row, chosen, chosen.where(cell, cell.like(0)), best};
}

// Cells whose box overlaps some labelled one by more than the threshold: they may claim an object.
Term ignored(const Yolo& y, const Term& rows, const Truth& truth) {
  const double scale = y.op.number("scale_x_y", 1), bias = -0.5 * (scale - 1);
  const int64_t area = y.height * y.width;
  std::vector<double> columns, lines, wide, high;
  for (const int64_t k : y.mask) {
    for (int64_t i = 0; i < area; ++i) {
      columns.push_back(static_cast<double>(i % y.width));
      lines.push_back(static_cast<double>(i / y.width));
      wide.push_back(static_cast<double>(y.anchors[2 * static_cast<size_t>(k)]) / y.input_size);
      high.push_back(static_cast<double>(y.anchors[2 * static_cast<size_t>(k) + 1]) / y.input_size);
    }
  }
  const auto row = [&](const std::vector<double>& v) {
    return Term::numbers(y.op, v, rows.dtype());
  };
  const auto center = [&](int64_t k, const std::vector<double>& at, int64_t n) {
    return (rows.at(2, k).make("sigmoid").scaled(scale, bias) + row(at)) *
           (1.0 / static_cast<double>(n));
  };
  Terms boxes{center(0, columns, y.width), center(1, lines, y.height),
              rows.at(2, 2).make("exp") * row(wide), rows.at(2, 3).make("exp") * row(high)};
  Terms labelled;
  for (Term& v : boxes) v = v.unsqueeze(-1);
  for (const Term& v : truth.box) labelled.push_back(v.unsqueeze(1));
  const Term shared = overlap(boxes, labelled);
  const Term above =
      (shared > shared.number(y.op.number("ignore_thresh", 0.7))) && truth.real.unsqueeze(1);
  return above.make("any", {{"axis", Ints{-1}}});
}

void yolo_loss(OpTranslation& op) {
  const Yolo y(op);
  const Term rows = y.rows();
  const Truth truth = truth_of(y);
  Value* score = op.in_or_null("GTScore");
  const Term weight = score ? Term(op, score) : truth.box[2].like(1);
  // What each cell should say: the weight of its box, 0 for none, -1 if it may say both.
  const Term may = ignored(y, rows, truth), logit = rows.at(2, 4);
  const Term state = may.where(logit.like(-1), logit.like(0));
  const int64_t cells = static_cast<int64_t>(y.mask.size()) * y.height * y.width;
  const Term wide = Term::concat({state, state.part(1, 0, 1)}, 1);
  const Term target = truth.chosen.where(truth.cell, truth.cell.like(static_cast<double>(cells)));
  const Term objects = wide.make("put_along_axis", {{"indices", target.value()},
                                                    {"values", weight.value()},
                                                    {"axis", int64_t{1}},
                                                    {"reduce", std::string("assign")},
                                                    {"include_self", true}})
                           .part(1, 0, cells);
  const Term counted = truth.chosen.where(weight, weight.like(0));
  const Term spread =
      truth.cell.unsqueeze(-1).make("expand", {{"shape", Ints{-1, -1, 5 + y.classes}}});
  const Term found =
      rows.make("take_along_axis", {{"indices", spread.value()}, {"axis", int64_t{1}}});
  const auto anchor = [&](size_t k) {
    Ints all;
    for (size_t i = 0; i < y.anchors.size() / 2; ++i) all.push_back(static_cast<int64_t>(i));
    const Term table = y.sizes(all, k, rows.dtype(), 1).unsqueeze(-1);
    return truth.best.make("embedding", {{"weight", table.value()}}).squeeze(2);
  };
  const Term place =
      binary_cross_entropy(found.at(2, 0),
                           truth.box[0] * static_cast<double>(y.width) - truth.column) +
      binary_cross_entropy(found.at(2, 1),
                           truth.box[1] * static_cast<double>(y.height) - truth.row) +
      (found.at(2, 2) - (truth.box[2] * y.input_size / anchor(0)).make("log")).make("abs") +
      (found.at(2, 3) - (truth.box[3] * y.input_size / anchor(1)).make("log")).make("abs");
  const auto count = static_cast<double>(y.classes);
  const double low = op.flag("use_label_smooth", true) ? std::min(1 / count, 1.0 / 40) : 0;
  const Term hot = Term::in(op, "GTLabel").make("one_hot", {{"num_classes", y.classes}});
  const Term classes = hot.cast(rows.dtype()).scaled(1 - 2 * low, low);
  const Term label = binary_cross_entropy(found.part(2, 5, 5 + y.classes), classes).sum({2});
  const Term claims = binary_cross_entropy(logit, logit.like(1)) * objects;
  Term object = (objects > objects.number(1e-5)).where(claims, logit.make("softplus"));
  object = (objects > objects.number(-0.5)).where(object, object.like(0));
  const Term shape_weight = counted * (truth.box[2] * truth.box[3]).scaled(-1, 2);
  op.set("Loss", (place * shape_weight + label * counted).sum({1}) + object.sum({1}));
  op.set("ObjectnessMask",
         objects.reshape({0, static_cast<int64_t>(y.mask.size()), y.height, y.width}));
}

// -- classes ------------------------------------------------------------------------------------

// scale * cos, where the labelled class has cos(margin1 * angle + margin2) - margin3
void margin_cross_entropy(OpTranslation& op) {
  if (op.integer("nranks", 1) > 1) op.unsupported("its classes lie in several processes");
  Term logits = Term::in(op, "Logits");
  const Term index = flat(Term::in(op, "Label")).unsqueeze(1);
  const double turn = op.number("margin1", 1), more = op.number("margin2", 0.5),
               less = op.number("margin3", 0);
  if (turn != 1 || more != 0 || less != 0) {
    const double edge = 1.0 - 1e-7;
    const Term cosine =
        logits.make("take_along_axis", {{"indices", index.value()}, {"axis", int64_t{1}}});
    const Term angle = cosine.make("clip", {{"min", -edge}, {"max", edge}}).make("acos");
    const Term moved = angle.scaled(turn, more).make("cos") - less;
    logits = logits.make("put_along_axis", {{"indices", index.value()},
                                            {"values", moved.value()},
                                            {"axis", int64_t{1}},
                                            {"reduce", std::string("assign")},
                                            {"include_self", true}});
  }
  const Term scaled = logits * op.number("scale", 64);
  Operation* made =
      op.emit("cross_entropy_with_softmax", {{"input", scaled.value()}, {"label", index.value()}});
  op.set("Softmax", made->result(0));
  op.set("Loss", made->result(1));
}

// All classes of the labels, and others at random up to num_samples (An et al. 2020).
void class_center_sample(OpTranslation& op) {
  if (op.integer("nranks", 1) > 1) op.unsupported("its classes lie in several processes");
  const Term label = Term::in(op, "Label"), wide = flat(label).cast(kPlaces);
  const int64_t classes = op.integer("num_classes", 1);
  const Term none = Term::full(op, {classes}, 0, kPlaces);
  const Term hits = added(none, wide, wide.like(1)) > none;
  const Term order =
      hits.cast(DType::kFloat32) + Term(op, op.make("uniform", {{"shape", Ints{classes}},
                                                                {"dtype", DType::kFloat32},
                                                                {"min", 0.0},
                                                                {"max", 1.0},
                                                                {"seed", op.integer("seed", 0)}}));
  const Term positives = hits.cast(kPlaces).sum({});
  const Term count = positives.with("maximum", positives.number(op.number("num_samples", 1)));
  const Term chosen(op, op.emit("topk", {{"x", order.value()}, {"k", count.value()}})->result(1));
  const Term taken = added(none, chosen, chosen.like(1));
  const Term sampled = (taken > none).make("nonzero").squeeze(1);
  const Term position = taken.make("cumsum", {{"axis", int64_t{0}}}) - 1;
  op.set("RemappedLabel", position.gather(wide).cast(label.dtype()));
  op.set("SampledLocalClassCenter", sampled.cast(label.dtype()));
}

// The area under the curve of counts of positive and negative rows by score, with those of earlier
// runs.
void auc(OpTranslation& op) {
  if (op.integer("slide_steps", 0) != 0) op.unsupported("it counts the last runs alone");
  if (op.text("curve", "ROC") != "ROC") op.unsupported("its curve is not ROC");
  const int64_t steps = op.integer("num_thresholds", 4095);
  const Term predict = Term::in(op, "Predict");
  const Term score = flat(predict.part(1, -1, kToTheEnd));
  const Term bucket = (score * static_cast<double>(steps)).make("floor").cast(kPlaces);
  Term hit = flat(Term::in(op, "Label")).cast(kPlaces), miss = hit.scaled(-1, 1);
  if (Value* weight = op.in_or_null("InsTagWeight")) {
    const Term counts = flat({op, weight}).cast(kPlaces);
    hit = hit * counts;
    miss = miss * counts;
  }
  const auto counted = [&](const char* slot, const char* out, const Term& rows) {
    const Term before = Term::in(op, slot);
    const Term now = added(flat(before).cast(kPlaces), bucket, rows);
    op.set(out, now.reshape(before.extents()));
    return now.cast(DType::kFloat64).make("flip", {{"axis", Ints{0}}});
  };
  const Term positive = counted("StatPos", "StatPosOut", hit);
  const Term negative = counted("StatNeg", "StatNegOut", miss);
  const Term hits = positive.make("cumsum", {{"axis", int64_t{0}}});
  const Term area = (negative * (hits * 2 - positive)).sum({}) * 0.5;
  const Term whole = positive.sum({}) * negative.sum({});
  op.set("AUC", (whole > whole.number(0)).where(area / whole, whole.like(0)));
}

}  // namespace

void add_losses_translations(TranslationTable& table) {
  table.add("cross_entropy", cross_entropy);
  table.add("cross_entropy2", cross_entropy);
  table.add("hierarchical_sigmoid", hierarchical_sigmoid);
  table.add("yolov3_loss", yolo_loss);
  table.add("margin_cross_entropy", margin_cross_entropy);
  table.add("class_center_sample", class_center_sample);
  table.add("auc", auc);
}

}  // namespace paddle::pir
