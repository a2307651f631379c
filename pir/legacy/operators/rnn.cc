// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The old operator rnn (all layers and directions of a recurrent network) as one `recurrence` per
// layer and direction. Its tensors are time-major; WeightList holds the matrices [input, hidden]
// of every layer and direction, then their biases in the same order.
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

Value* part(OpTranslation& op, Value* states, int64_t i) {
  return op.make("slice", {{"input", states},
                           {"axes", Ints{0}},
                           {"starts", Ints{i}},
                           {"ends", Ints{i + 1}},
                           {"decrease_axis", Ints{0}}});
}

// Programs that are saved here multiply by a unit matrix (file_forms.h).
Value* products(OpTranslation& op, Value* x, Value* weight) {
  if (weight->producer() && weight->producer()->is("pd_op.eye")) return x;
  return op.make("matmul", {{"x", x}, {"y", weight}, {"transpose_y", true}});
}

bool is_zero(const Value* v) {
  const Operation* op = v->producer();
  return op && op->is("pd_op.full") && op->attribute("value").to_double() == 0;
}

void rnn(OpTranslation& op) {
  const std::string mode = op.text("mode", "RNN_TANH");
  const bool is_lstm = mode == "LSTM";
  const int64_t layers = op.integer("num_layers", 1);
  const int64_t directions = op.flag("is_bidirec", false) ? 2 : 1;
  const std::vector<Value*> weights = op.ins("WeightList"), states = op.ins("PreState");
  const auto cells = static_cast<size_t>(layers * directions);
  if (layers < 1 || layers > 1024 || weights.size() != 4 * cells) {
    op.fail(str("it has ", layers, " layers of ", directions, " directions and ", weights.size(),
                " weights; 4 weights for each are expected"));
  }
  if (states.size() != (is_lstm ? 2u : 1u)) {
    op.fail(str("it has ", states.size(), " initial states"));
  }
  Value* length = op.in_or_null("SequenceLength");
  if (length) length = op.cast(length, DType::kInt64);
  Value* x = op.in("Input");
  std::vector<Value*> last_h, last_c;
  for (int64_t layer = 0; layer < layers; ++layer) {
    std::vector<Value*> outs;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t cell = layer * directions + d;
      const auto at = static_cast<size_t>(2 * cell);
      Value *gates = products(op, x, weights[at]), *bias = weights[2 * cells + at + 1];
      if (Value* outer = weights[2 * cells + at]; !is_zero(outer)) {
        // The layers sum both before the steps, GRU apart: a loaded program gives their bits.
        Value*& sum = mode == "GRU" ? gates : bias;
        sum = op.make("add", {{"x", sum}, {"y", outer}});
      }
      std::vector<NamedGiven> args{{"gates", gates},
                                   {"h0", part(op, states[0], cell)},
                                   {"weight", weights[at + 1]},
                                   {"bias", bias},
                                   {"length", length},
                                   {"mode", mode},
                                   {"reverse", d == 1}};
      if (is_lstm) args.emplace_back("c0", part(op, states[1], cell));
      Operation* made = op.emit_all("recurrence", args);
      outs.push_back(made->result(0));
      last_h.push_back(made->result(1));
      last_c.push_back(made->result(2));
    }
    x = directions == 1 ? outs[0] : op.make("concat", {{"x", outs}, {"axis", int64_t{2}}});
  }
  op.set("Out", x);
  std::vector<Value*> finals{op.make("stack", {{"x", last_h}})};
  if (is_lstm) finals.push_back(op.make("stack", {{"x", last_c}}));
  op.set_all("State", finals);
}

}  // namespace

void add_rnn_translations(TranslationTable& table) { table.add("rnn", rnn); }

}  // namespace paddle::pir
