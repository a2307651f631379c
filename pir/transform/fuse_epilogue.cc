// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and products with a weight take in what follows them: scale and shift per channel
// (batch norm among them) go into weight and bias, functions and one residual into the epilogue.
// What is computed of weights alone is left to constant folding.
#include <algorithm>
#include <array>

#include "paddle_core/op/epilogue.h"
#include "pir/transform/emit.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

constexpr const char* kConv = "pd_op.conv2d_epilogue";
constexpr const char* kMatmul = "pd_op.matmul_epilogue";
constexpr const char* kShuffle = "pd_op.pixel_shuffle";
enum Operand : uint8_t { kInput, kWeight, kBias, kResidual };

using Kind = EpilogueStep::Kind;

// A fused operation that may still take something in: nothing else uses its result. A pixel_shuffle
// behind a convolution is looked through: what is done to its result is done before.
class Fused {
 public:
  static std::optional<Fused> of(Value* v) {
    for (const OpId name : {OpId(kConv), OpId(kMatmul)}) {
      if (Operation* op = only_producer(v, name)) return Fused(op, nullptr);
    }
    Operation* shuffle = only_producer(v, kShuffle);
    Operation* op = shuffle ? only_producer(shuffle->operand(0), kConv) : nullptr;
    if (op && shuffle->attribute("data_format").get<std::string>() == "NCHW") {
      return Fused(op, shuffle);
    }
    return {};
  }
  Fused(Operation* op, Operation* shuffle)
      : op_(op),
        shuffle_(shuffle),
        epilogue_(parse_epilogue(op->attribute("epilogue").get<std::string>(), "epilogue")) {
    for (size_t i = 0; i <= kResidual; ++i) operands_.at(i) = op->operand(i);
  }

  bool is_conv() const { return op_->is(kConv); }
  const Type& type() const { return (shuffle_ ? shuffle_ : op_)->result()->type(); }
  DType dtype() const { return type().dtype(); }
  bool is_linear() const { return epilogue_.empty(); }
  int64_t channels() const {
    const Shape& w = operands_[kWeight]->type().shape();
    const Dim d = is_conv() ? w.front() : transposed() ? w.front() : w.back();
    return d.is_symbolic() ? -1 : d.value() / repeats();
  }
  // `v` holds one value, or one per channel where the result has its channels.
  bool is_per_channel(const Value* v) const {
    const int64_t n = num_elements(v->type());
    if (n == 1) return v->type().shape().size() <= type().shape().size();
    if (n < 0 || n != channels()) return false;
    const Shape& s = v->type().shape();
    const size_t behind = is_conv() ? 2 : 0;  // axes behind the channels
    return s.size() > behind && s.size() <= type().shape().size() &&
           s[s.size() - 1 - behind] == Dim(n);
  }

  // weight *= factor and bias *= factor; `factor` is_per_channel().
  void multiply(PatternRewriter& r, Value* factor) {
    Value* w = operands_[kWeight];
    const size_t rank = w->type().shape().size();
    const bool scalar = num_elements(factor->type()) == 1;
    Shape shape(rank, Dim(1));
    shape[is_conv() || transposed() ? 0 : rank - 1] = Dim(scalar ? 1 : channels() * repeats());
    Value* each = flat(r, factor);
    operands_[kWeight] =
        emit(r, "pd_op.multiply", {w, emit_reshape(r, each, shape)}, {}, w->type());
    if (Value* b = operands_[kBias]) {
      operands_[kBias] = emit(r, "pd_op.multiply", {b, each}, {}, b->type());
    }
  }
  void add(PatternRewriter& r, Value* addend) {
    Value* b = operands_[kBias];
    const Type type = Type::tensor(dtype(), {Dim(channels() * repeats())});
    Value* each = flat(r, addend);
    if (b) {
      each = emit(r, "pd_op.add", {b, each}, {}, type);
    } else if (num_elements(each->type()) != num_elements(type)) {
      each = emit(r, "pd_op.expand", {each, emit_ints(r, type.shape())}, {}, type);
    }
    operands_[kBias] = each;
  }
  void append(EpilogueStep step) {
    if (step.kind == Kind::kLinear && !epilogue_.empty() &&
        epilogue_.back().kind == Kind::kLinear) {
      EpilogueStep& last = epilogue_.back();
      last = {Kind::kLinear, last.a * step.a, last.b * step.a + step.b};
      return;
    }
    epilogue_.push_back(step);
  }
  bool takes_residual() const { return operands_[kResidual] == nullptr && !shuffle_; }
  void combine(Kind kind, Value* residual) {
    operands_[kResidual] = residual;
    epilogue_.push_back({kind});
  }

  // The operation with all this in front of `root`, whose first result it stands for.
  void replace(PatternRewriter& r, Operation* root) const {
    std::vector<NamedAttribute> attributes = op_->attributes();
    for (NamedAttribute& a : attributes) {
      if (a.first == "epilogue") a.second = to_text(epilogue_);
    }
    Value* out =
        emit(r, op_->name().c_str(), {operands_.begin(), operands_.end()}, std::move(attributes),
             shuffle_ ? op_->result()->type() : root->result()->type());
    if (shuffle_) {
      out = emit(r, kShuffle, {out}, shuffle_->attributes(), root->result()->type());
    }
    std::vector<Value*> results(root->num_results(), nullptr);
    results[0] = out;
    r.replace(root, results);
    if (shuffle_) r.erase(shuffle_);
    r.erase(op_);  // now, for it may define symbols, which the new one does as well
  }

 private:
  bool transposed() const { return !is_conv() && op_->attribute("transpose_y").get<bool>(); }
  // How many channels of the convolution become one of the result.
  int64_t repeats() const {
    if (!shuffle_) return 1;
    const int64_t factor = shuffle_->attribute("upscale_factor").to_int();
    return factor * factor;
  }
  // One value, or one per channel of the convolution, as a vector.
  Value* flat(PatternRewriter& r, Value* v) const {
    if (repeats() > 1 && num_elements(v->type()) > 1) {
      const Shape wide{Dim(channels()), Dim(repeats())};
      v = emit(r, "pd_op.expand",
               {emit_reshape(r, v, {Dim(channels()), Dim(1)}), emit_ints(r, wide)});
    }
    return v->type().shape().size() == 1 ? v : emit_reshape(r, v, {Dim(-1)});
  }

  Operation *op_, *shuffle_;
  Epilogue epilogue_;
  std::array<Value*, 4> operands_{};
};

bool is_float32(const Value* v) {
  return v && v->type().is_tensor() && v->type().dtype() == DType::kFloat32;
}

// -- what starts a fused operation -------------------------------------------------------------
struct StartConv final : RewritePattern {
  explicit StartConv(const char* root) : RewritePattern("start_conv", root, 2) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    if (!is_float32(op->operand(0)) || !is_weight(op->operand(1)) ||
        op->attribute("data_format").get<std::string>() != "NCHW") {
      return false;
    }
    Value* bias = op->def->schema().arg_index("bias") == 2 ? op->operand(2) : nullptr;
    if (bias && !is_weight(bias)) return false;
    r.replace(op, {emit(r, kConv, {op->operand(0), op->operand(1), bias, nullptr}, op->attributes(),
                        op->result()->type())});
    return true;
  }
};

struct StartMatmul final : RewritePattern {
  explicit StartMatmul(const char* root) : RewritePattern("start_matmul", root, 2) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    const Value *x = op->operand(0), *w = op->operand(1);
    if (!is_float32(x) || !is_weight(w) || w->type().shape().size() != 2 ||
        x->type().shape().size() < 2 || num_elements(w->type()) < 0) {
      return false;
    }
    const Attribute* transpose_x = op->find_attribute("transpose_x");
    if (transpose_x && transpose_x->get<bool>()) return false;
    Value* bias = op->is("pd_op.linear") ? op->operand(2) : nullptr;
    if (bias && (!is_weight(bias) || bias->type().shape().size() != 1 ||
                 !(bias->type().shape()[0] == w->type().shape()[1]))) {
      return false;
    }
    std::vector<NamedAttribute> attributes;
    if (const Attribute* t = op->find_attribute("transpose_y")) {
      attributes.emplace_back("transpose_y", *t);
    }
    r.replace(op, {emit(r, kMatmul, {op->operand(0), op->operand(1), bias, nullptr},
                        std::move(attributes), op->result()->type())});
    return true;
  }
};

bool all_are(const Attribute& a, int64_t value) {
  const Shape dims = a.to_dims();
  return std::all_of(dims.begin(), dims.end(), [&](Dim d) { return d == Dim(value); });
}

// A transposed convolution whose windows do not overlap is a pointwise one with a channel for every
// pixel of the window.
struct StartTranspose final : RewritePattern {
  StartTranspose() : RewritePattern("start_transpose", "pd_op.conv2d_transpose", 2) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    Value *x = op->operand(0), *w = op->operand(1);
    if (!is_float32(x) || !is_weight(w) || num_elements(w->type()) < 0) return false;
    const Shape s = w->type().shape();  // [in, out, window, window]
    const int64_t window = s[2].value();
    Constant size;
    const bool fits =
        s[3] == s[2] && window > 1 && all_are(op->attribute("strides"), window) &&
        all_are(op->attribute("paddings"), 0) && all_are(op->attribute("dilations"), 1) &&
        all_are(op->attribute("output_padding"), 0) && op->attribute("groups").to_int() == 1 &&
        op->attribute("padding_algorithm").get<std::string>() == "EXPLICIT" &&
        op->attribute("data_format").get<std::string>() == "NCHW" &&
        (!op->operand(2) ||
         (constant_operand(op->operand(2), op->def->schema().args[5], size) && size.ints.empty()));
    if (!fits || op->result()->type().shape().size() != 4) return false;
    const Dim outputs = s[1] * Dim(window * window);
    Value* turned = emit(r, "pd_op.transpose", {w}, {{"perm", AttributeArray{1, 2, 3, 0}}});
    Value* filter = emit_reshape(r, turned, {outputs, s[0], Dim(1), Dim(1)});
    Shape inner = x->type().shape();
    inner[1] = outputs;
    Value* pixels =
        emit(r, kConv, {x, filter, nullptr, nullptr}, {}, Type::tensor(DType::kFloat32, inner));
    r.replace(op, {emit(r, kShuffle, {pixels}, {{"upscale_factor", static_cast<int32_t>(window)}},
                        op->result()->type())});
    return true;
  }
};

// x + x * s = x * (s + 1), where s is smaller than x.
struct JoinScaleAndAdd final : RewritePattern {
  JoinScaleAndAdd() : RewritePattern("join_scale_and_add", "pd_op.add", 2) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    for (const size_t i : {0, 1}) {
      Value* x = op->operand(1 - i);
      const Operation* product = only_producer(op->operand(i), "pd_op.multiply");
      if (!product || !is_float32(x)) continue;
      for (const size_t k : {0, 1}) {
        Value* s = product->operand(1 - k);
        if (product->operand(k) != x || !is_pooled(s, x)) continue;
        Value* more = emit(r, "pd_op.scale", {s, emit_full(r, 1, DType::kFloat32)},
                           {{"bias", Scalar(1.0)}}, s->type());
        r.replace(op, {emit(r, "pd_op.multiply", {x, more}, {}, op->result()->type())});
        return true;
      }
    }
    return false;
  }

 private:
  // One value for all positions of each channel.
  static bool is_pooled(const Value* s, const Value* x) {
    if (!is_float32(s) || s->type().shape().size() != 4 || x->type().shape().size() != 4) {
      return false;
    }
    return s->type().shape()[2] == Dim(1) && s->type().shape()[3] == Dim(1) &&
           !(x->type().shape()[2] == Dim(1));
  }
};

// -- what a fused operation takes in -----------------------------------------------------------
// x * scale / sqrt(variance + epsilon) + (bias - mean * scale / ...)
struct TakeBatchNorm final : RewritePattern {
  explicit TakeBatchNorm(const char* root) : RewritePattern("take_batch_norm", root) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    std::optional<Fused> fused = Fused::of(op->operand(0));
    const bool frozen =
        op->attribute("is_test").get<bool>() || op->attribute("use_global_stats").get<bool>();
    if (!fused || !fused->is_conv() || !fused->is_linear() || !frozen) return false;
    for (size_t k = 1; k < op->num_results(); ++k) {
      if (op->result(k)->used()) return false;
    }
    Value *mean = op->operand(1), *variance = op->operand(2), *scale = op->operand(3),
          *bias = op->operand(4);
    if (!mean || !variance) return false;
    for (const Value* v : {mean, variance, scale, bias}) {
      if (v && !is_float32(v)) return false;
    }
    const double epsilon = op->attribute("epsilon").to_double();
    Value* moved = emit(r, "pd_op.add", {variance, emit_full(r, epsilon, DType::kFloat32)});
    Value* factor = emit(r, "pd_op.rsqrt", {moved});
    if (scale) factor = emit(r, "pd_op.multiply", {factor, scale});
    Value* center = emit(r, "pd_op.multiply", {mean, factor});
    Value* shift = bias ? emit(r, "pd_op.subtract", {bias, center})
                        : emit(r, "pd_op.scale", {center, emit_full(r, -1, DType::kFloat32)});
    fused->multiply(r, factor);
    fused->add(r, shift);
    fused->replace(r, op);
    return true;
  }
};

// The steps that an operator with one tensor is; none when it is another.
Epilogue steps_of(const Operation& op) {
  const auto number = [&](const char* name) { return op.attribute(name).to_double(); };
  if (op.is("pd_op.relu")) return {{Kind::kRelu}};
  if (op.is("pd_op.relu6")) return {{Kind::kClip, 0, 6}};
  if (op.is("pd_op.sigmoid")) return {{Kind::kSigmoid}};
  if (op.is("pd_op.tanh")) return {{Kind::kTanh}};
  if (op.is("pd_op.silu") || op.is("pd_op.swish")) return {{Kind::kSwish, 1}};
  if (op.is("pd_op.hardswish")) return {{Kind::kHardSwish}};
  if (op.is("pd_op.hardsigmoid")) return {{Kind::kHardSigmoid, number("slope"), number("offset")}};
  if (op.is("pd_op.leaky_relu")) return {{Kind::kLeakyRelu, number("negative_slope")}};
  if (op.is("pd_op.gelu")) {
    return {{op.attribute("approximate").get<bool>() ? Kind::kGeluTanh : Kind::kGelu}};
  }
  if (op.is("pd_op.clip")) {
    const auto low = number_of(op.operand(1)), high = number_of(op.operand(2));
    if (low && high) return {{Kind::kClip, *low, *high}};
  }
  if (op.is("pd_op.subtract") || op.is("pd_op.divide")) {
    const Value *x = op.operand(0), *y = op.operand(1);
    const bool fits = is_float32(y) && y->type().shape().size() <= x->type().shape().size();
    const auto number = fits ? number_of(y) : std::nullopt;
    if (number && op.is("pd_op.subtract")) return {{Kind::kLinear, 1, -*number}};
    if (number && *number != 0) return {{Kind::kLinear, 1 / *number, 0}};
  }
  if (op.is("pd_op.scale")) {
    const auto factor = number_of(op.operand(1));
    const double bias = op.attribute("bias").to_scalar().to_double();
    if (factor) {
      return {{Kind::kLinear, *factor,
               op.attribute("bias_after_scale").get<bool>() ? bias : bias * *factor}};
    }
  }
  return {};
}

struct TakeFunction final : RewritePattern {
  explicit TakeFunction(const char* root) : RewritePattern("take_function", root) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    std::optional<Fused> fused = Fused::of(op->operand(0));
    if (!fused) return false;
    const Epilogue steps = steps_of(*op);
    if (steps.empty()) return false;
    for (const EpilogueStep& step : steps) fused->append(step);
    fused->replace(r, op);
    return true;
  }
};

// A linear map and the function of its result. In captured programs, whose weights may still
// change: nothing of the weights is computed.
struct LinearAndFunction final : RewritePattern {
  explicit LinearAndFunction(const char* root) : RewritePattern("linear_and_function", root) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    Operation* linear = only_producer(op->operand(0), "pd_op.linear");
    const Epilogue steps = linear ? steps_of(*op) : Epilogue();
    if (steps.empty()) return false;
    Value *x = linear->operand(0), *w = linear->operand(1), *bias = linear->operand(2);
    if (!is_float32(x) || !is_weight(w) || num_elements(w->type()) < 0 ||
        w->type().shape().size() != 2 || x->type().shape().size() < 2 ||
        (bias && !is_weight(bias))) {
      return false;
    }
    r.replace(op, {emit(r, kMatmul, {x, w, bias, nullptr}, {{"epilogue", to_text(steps)}},
                        op->result()->type())});
    return true;
  }
};

// add, subtract and multiply with another tensor.
struct TakeTensor final : RewritePattern {
  explicit TakeTensor(const char* root) : RewritePattern("take_tensor", root) {}
  bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
    for (const size_t i : {0, 1}) {
      std::optional<Fused> fused = Fused::of(op->operand(i));
      if (fused && take(*fused, op->operand(1 - i), op->is("pd_op.add"), r)) {
        fused->replace(r, op);
        return true;
      }
    }
    return false;
  }

 private:
  static bool take(Fused& fused, Value* other, bool add, PatternRewriter& r) {
    if (!is_float32(other)) return false;
    if (fused.is_linear() && is_weight(other) && fused.is_per_channel(other)) {
      add ? fused.add(r, other) : fused.multiply(r, other);
      return true;
    }
    const bool fits = other->type().shape().size() <= fused.type().shape().size();
    if (const auto number = fits ? number_of(other) : std::nullopt) {
      fused.append(add ? EpilogueStep{Kind::kLinear, 1, *number}
                       : EpilogueStep{Kind::kLinear, *number, 0});
      return true;
    }
    if (!fused.takes_residual() || !same_known_type(fused.type(), other->type())) return false;
    fused.combine(add ? Kind::kAdd : Kind::kMultiply, other);
    return true;
  }
};

}  // namespace

void add_linear_function_patterns(PatternSet& set) {
  for (const char* root :
       {"pd_op.relu", "pd_op.sigmoid", "pd_op.tanh", "pd_op.silu", "pd_op.gelu"}) {
    set.add<LinearAndFunction>(root);
  }
}

void add_epilogue_patterns(PatternSet& set) {
  for (const char* root : {"pd_op.conv2d", "pd_op.depthwise_conv2d", "pd_op.conv2d_bias",
                           "pd_op.depthwise_conv2d_bias"}) {
    set.add<StartConv>(root);
  }
  for (const char* root : {"pd_op.matmul", "pd_op.linear"}) set.add<StartMatmul>(root);
  set.add<StartTranspose>();
  set.add<JoinScaleAndAdd>();
  for (const char* root : {"pd_op.batch_norm", "pd_op.batch_norm_"}) set.add<TakeBatchNorm>(root);
  for (const char* root :
       {"pd_op.relu", "pd_op.relu6", "pd_op.sigmoid", "pd_op.tanh", "pd_op.silu", "pd_op.swish",
        "pd_op.hardswish", "pd_op.hardsigmoid", "pd_op.leaky_relu", "pd_op.gelu", "pd_op.clip",
        "pd_op.scale", "pd_op.subtract", "pd_op.divide"}) {
    set.add<TakeFunction>(root);
  }
  for (const char* root : {"pd_op.add", "pd_op.multiply"}) set.add<TakeTensor>(root);
}

}  // namespace paddle::pir
