// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// An operation of a file of PaddlePaddle 3 as the old operator whose translation says what it does.
#include "pir/legacy/compounds.h"

#include "pir/dialect/dialect.h"
#include "pir/legacy/arrays.h"
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

// The old operator and its slots in the order of operands and results. `*`: the slot is a list;
// `_`: nothing reads it.
struct Form {
  std::string_view name, old_name, inputs, outputs;
};

constexpr Form kForms[] = {
    {"accuracy", "accuracy", "Out Indices Label", "Accuracy Correct Total"},
    {"add_position_encoding", "add_position_encoding", "X", "Out"},
    {"affine_channel", "affine_channel", "X Scale Bias", "Out"},
    {"anchor_generator", "anchor_generator", "Input", "Anchors Variances"},
    {"apply_per_channel_scale", "apply_per_channel_scale", "x scales", "out"},
    {"auc", "auc", "Predict Label StatPos StatNeg InsTagWeight", "AUC StatPosOut StatNegOut"},
    {"bilinear", "bilinear_tensor_product", "X Y Weight Bias", "Out"},
    {"box_clip", "box_clip", "Input ImInfo", "Output"},
    {"c_allreduce_sum", "c_allreduce_sum", "X", "Out"},
    {"c_concat", "c_concat", "X", "Out"},
    {"c_embedding", "c_embedding", "W Ids", "Out"},
    {"c_identity", "c_identity", "X", "Out"},
    {"c_split", "c_split", "X", "Out"},
    {"check_numerics", "check_numerics", "tensor", "stats values"},
    {"class_center_sample", "class_center_sample", "Label",
     "RemappedLabel SampledLocalClassCenter"},
    {"clip_by_norm", "clip_by_norm", "X", "Out"},
    {"collect_fpn_proposals", "collect_fpn_proposals",
     "MultiLevelRois* MultiLevelScores* MultiLevelRoIsNum*", "FpnRois RoisNum"},
    {"conv2d_transpose_bias", "conv2d_transpose", "Input Filter Bias _", "Output"},
    {"correlation", "correlation", "Input1 Input2", "Output"},
    {"crf_decoding", "crf_decoding", "Emission Transition Label Length", "ViterbiPath"},
    {"ctc_align", "ctc_align", "Input InputLength", "Output OutputLength"},
    {"cvm", "cvm", "X _", "Y"},
    {"depend", "depend", "X _", "Out"},
    {"dequantize", "dequantize", "Input", "Output"},
    {"dequantize_abs_max", "dequantize_abs_max", "X Scale", "Out"},
    {"dequantize_linear", "dequantize_linear", "X Scale ZeroPoint _ _", "Y _ _ _"},
    {"dequantize_log", "dequantize_log", "X Dict", "Out"},
    {"distribute_fpn_proposals", "distribute_fpn_proposals", "FpnRois RoisNum",
     "MultiFpnRois* MultiLevelRoIsNum* RestoreIndex"},
    {"edit_distance", "edit_distance", "Hyps Refs HypsLength RefsLength", "SequenceNum Out"},
    {"einsum", "einsum", "Operands*", "Out _ _"},
    {"empty", "empty", "ShapeTensor", "Out"},
    {"fake_channel_wise_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs", "X Scales*",
     "Out"},
    {"fake_channel_wise_quantize_abs_max", "fake_channel_wise_quantize_abs_max", "X",
     "Out OutScale"},
    {"fake_channel_wise_quantize_dequantize_abs_max",
     "fake_channel_wise_quantize_dequantize_abs_max", "X", "Out OutScale"},
    {"fake_dequantize_max_abs", "fake_dequantize_max_abs", "X Scale", "Out"},
    {"fake_quantize_abs_max", "fake_quantize_abs_max", "X", "Out OutScale"},
    {"fake_quantize_dequantize_abs_max", "fake_quantize_dequantize_abs_max", "X", "Out OutScale"},
    {"fake_quantize_dequantize_moving_average_abs_max",
     "fake_quantize_dequantize_moving_average_abs_max", "X InScale _ _", "Out OutScale _ _"},
    {"fake_quantize_moving_average_abs_max", "fake_quantize_moving_average_abs_max",
     "X InScale _ _", "Out OutScale _ _"},
    {"fake_quantize_range_abs_max", "fake_quantize_range_abs_max", "X InScale _", "Out OutScale _"},
    {"fc", "fc", "Input W Bias", "Out"},
    {"frobenius_norm", "frobenius_norm", "X Axis", "Out"},
    {"full_batch_size_like", "fill_constant_batch_size_like", "Input", "Out"},
    {"fused_bias_act", "fused_bias_act", "x bias dequant_scales shift smooth", "out"},
    {"fused_bias_dropout_residual_layer_norm", "fused_bias_dropout_residual_layer_norm",
     "X Residual Bias LnScale LnBias", "Y BiasDropoutResidualOut _ _ _"},
    {"fused_bias_residual_layernorm", "fused_bias_residual_layernorm",
     "x bias residual norm_weight norm_bias", "out residual_out mean variance"},
    {"fused_conv2d", "fused_conv2d", "Input Filter Bias ResidualData", "Output"},
    {"fused_conv2d_add_act", "fused_conv2d_add_act", "Input Filter Bias ResidualData", "Output _"},
    {"fused_conv3d", "fused_conv3d", "Input Filter Bias ResidualData", "Output"},
    {"fused_dropout_add", "fused_dropout_add", "x y _ PTensor", "out _"},
    {"fused_elementwise_add", "fused_elementwise_add", "X Y", "Out"},
    {"fused_elementwise_div", "fused_elementwise_div", "X Y", "Out"},
    {"fused_elementwise_mul", "fused_elementwise_mul", "X Y", "Out"},
    {"fused_elementwise_sub", "fused_elementwise_sub", "X Y", "Out"},
    {"fused_elemwise_activation", "fused_elemwise_activation", "X Y", "Out IntermediateOut"},
    {"fused_elemwise_add_activation", "fused_elemwise_add_activation", "X Y",
     "Out IntermediateOut"},
    {"fused_embedding_eltwise_layernorm", "fused_embedding_eltwise_layernorm",
     "Ids* Embs* Bias Scale", "Out"},
    {"fused_fc_elementwise_layernorm", "fused_fc_elementwise_layernorm", "X W Y Bias0 Scale Bias1",
     "Out _ _"},
    {"fused_gemm_epilogue", "fused_gemm_epilogue", "X Y Bias", "Out _"},
    {"fused_matmul", "fused_matmul", "X Y ResidualData", "Out"},
    {"fused_rms_norm_quant", "fused_rms_norm_quant", "x bias residual norm_weight norm_bias",
     "out residual_out _"},
    {"fused_softmax_mask", "fused_softmax_mask", "X Mask", "Out"},
    {"fused_softmax_mask_upper_triangle", "fused_softmax_mask_upper_triangle", "X", "Out"},
    {"fused_softplus", "fused_softplus", "X", "Out"},
    {"fused_transpose", "fused_transpose", "X", "Out"},
    {"fusion_repeated_fc_relu", "fusion_repeated_fc_relu", "X W* Bias*", "ReluOut* Out"},
    {"fusion_squared_mat_sub", "fusion_squared_mat_sub", "X Y", "_ _ _ Out"},
    {"fusion_transpose_flatten_concat", "fusion_transpose_flatten_concat", "X*", "Out"},
    {"gru_unit", "gru_unit", "Input HiddenPrev Weight Bias", "Gate ResetHiddenPrev Hidden"},
    {"hsigmoid_loss", "hierarchical_sigmoid", "X Label W Bias PathTable PathCode", "Out PreOut _"},
    {"index_select_strided", "index_select_strided", "x", "out"},
    {"l1_norm", "l1_norm", "X", "Out"},
    {"label_smooth", "label_smooth", "X PriorDist", "Out"},
    {"llm_int8_linear", "llm_int8_linear", "x weight bias weight_scale", "out"},
    {"logspace", "logspace", "Start Stop Num Base", "Out"},
    {"lookup_table_dequant", "lookup_table_dequant", "W Ids", "Out"},
    {"lrn", "lrn", "X", "Out MidOut"},
    {"margin_cross_entropy", "margin_cross_entropy", "Logits Label", "Softmax Loss"},
    {"matmul_with_flatten", "mul", "X Y", "Out"},
    {"matrix_rank", "matrix_rank", "X", "Out"},
    {"matrix_rank_atol_rtol", "matrix_rank", "X AtolTensor RtolTensor", "Out"},
    {"matrix_rank_tol", "matrix_rank", "X TolTensor", "Out"},
    {"memcpy", "memcpy", "X", "Out"},
    {"memcpy_d2h", "memcpy_d2h", "X", "Out"},
    {"memcpy_h2d", "memcpy_h2d", "X", "Out"},
    {"moving_average_abs_max_scale", "moving_average_abs_max_scale", "X _ _", "Out OutScale _ _"},
    {"mp_allreduce_sum", "mp_allreduce_sum", "X", "Out"},
    {"multi_dot", "multi_dot", "X*", "Out"},
    {"multihead_matmul", "multihead_matmul", "Input W Bias BiasQK", "Out"},
    {"norm", "norm", "X", "Out Norm"},
    {"npu_identity", "npu_identity", "X", "Out"},
    {"partial_concat", "partial_concat", "X*", "Out"},
    {"partial_sum", "partial_sum", "X*", "Out"},
    {"print", "print", "In", "Out"},
    {"quantize", "quantize", "Input", "Output"},
    {"quantize_linear", "quantize_linear", "X Scale ZeroPoint _ _", "Y _ _ _"},
    {"range_v2", "range_v2", "Start End Step", "Out"},
    {"reindex_graph", "graph_reindex", "X Neighbors Count _ _",
     "Reindex_Src Reindex_Dst Out_Nodes"},
    {"renorm", "renorm", "X", "Out"},
    {"requantize", "requantize", "Input", "Output"},
    {"rnn", "rnn", "Input PreState* WeightList* SequenceLength _", "Out _ State* _"},
    {"row_conv", "row_conv", "X Filter", "Out"},
    {"segment_pool", "segment_pool", "X SegmentIds", "Out _"},
    {"self_dp_attention", "self_dp_attention", "X", "Out"},
    {"send_u_recv", "graph_send_recv", "X Src_index Dst_index Out_size", "Out _"},
    {"send_ue_recv", "graph_send_ue_recv", "X Y Src_index Dst_index Out_size", "Out _"},
    {"send_uv", "graph_send_uv", "x y src_index dst_index", "out"},
    {"sequence_mask", "sequence_mask", "X MaxLenTensor", "Y"},
    {"share_data", "share_data", "X", "Out"},
    {"shuffle_channel", "shuffle_channel", "X", "Out"},
    {"slogdet_v2", "slogdet_v2", "x", "sign logdet"},
    {"skip_layernorm", "skip_layernorm", "X Y Scale Bias", "Out"},
    {"spectral_norm", "spectral_norm", "Weight U V", "Out"},
    {"tdm_child", "tdm_child", "X TreeInfo", "Child LeafMask"},
    {"temporal_shift", "temporal_shift", "X", "Out"},
    {"trans_layout", "trans_layout", "x", "out"},
    {"uniform_random_batch_size_like", "uniform_random_batch_size_like", "Input", "Out"},
    {"variance", "variance", "x", "out"},
    {"view_slice", "view_slice", "input", "out"},
    {"weight_dequantize", "weight_dequantize", "x scale", "out"},
    {"weight_only_linear", "weight_only_linear", "x weight bias weight_scale", "out"},
    {"yolo_loss", "yolov3_loss", "X GTBox GTLabel GTScore", "Loss ObjectnessMask _"},
};

const Form* form_of(std::string_view name) {
  if (name.starts_with("pd_op.")) name.remove_prefix(6);
  if (name.ends_with('_')) name.remove_suffix(1);
  for (const Form& form : kForms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ' ') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

AttrDesc described(const Attribute& a) {
  using Kind = Attribute::Kind;
  AttrDesc out;
  switch (a.kind()) {
    case Kind::kBool:
    case Kind::kI32:
    case Kind::kI64:
      out.is_bool = a.is(Kind::kBool);
      out.ints = {a.to_int()};
      break;
    case Kind::kF32:
    case Kind::kF64:
    case Kind::kScalar:
      out.kind = AttrDesc::Kind::kReals;
      out.reals = {a.to_double()};
      break;
    case Kind::kString:
      out.kind = AttrDesc::Kind::kTexts;
      out.texts = {a.get<std::string>()};
      break;
    case Kind::kDType:
      out.ints = {a.get<DType>() == DType::kUndefined ? -1 : disk_number_of(a.get<DType>())};
      break;
    case Kind::kArray: {
      out.is_list = true;
      for (const Attribute& e : a.get<AttributeArray>()) {
        const AttrDesc one = described(e);
        out.kind = one.kind;
        out.ints.insert(out.ints.end(), one.ints.begin(), one.ints.end());
        out.reals.insert(out.reals.end(), one.reals.begin(), one.reals.end());
        out.texts.insert(out.texts.end(), one.texts.begin(), one.texts.end());
      }
      break;
    }
    case Kind::kIntArray:
      out.is_list = true;
      for (const Dim d : a.get<Shape>()) out.ints.push_back(d.value());
      break;
    default:
      out.is_list = true;
      break;
  }
  return out;
}

// `scope`: unknown extents become symbols of it, which shape rules can reckon with; without one
// symbols are unknown again.
Type with_extents(const Type& t, SymbolScope* scope) {
  if (t.is_vector()) {
    std::vector<Type> elements;
    for (const Type& e : t.elements()) elements.push_back(with_extents(e, scope));
    return Type::vector(std::move(elements));
  }
  if (!t.is_tensor()) return t;
  Shape shape;
  for (const Dim d : t.shape()) {
    const bool open = d.is_symbolic() || d.value() < 0;
    shape.push_back(!open ? d : scope ? scope->fresh() : Dim(-1));
  }
  return Type::tensor(t.dtype(), shape);
}

void set_extents(Block& block, SymbolScope* scope) {
  for (size_t i = 0; i < block.num_arguments(); ++i) {
    block.argument(i)->set_type(with_extents(block.argument(i)->type(), scope));
  }
  for (const auto& op : block.operations()) {
    for (size_t k = 0; k < op->num_results(); ++k) {
      op->result(k)->set_type(with_extents(op->result(k)->type(), scope));
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) set_extents(*inner, scope);
    }
  }
}

template <typename Predicate>
bool any_of(const Block& block, const Predicate& is_wanted) {
  for (const auto& op : block.operations()) {
    if (is_wanted(*op)) return true;
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) {
        if (any_of(*inner, is_wanted)) return true;
      }
    }
  }
  return false;
}

class Expansion {
 public:
  Expansion(Operation& op, const Form& form, Translator& translator, ProgramDesc& declared)
      : op_(op),
        form_(form),
        builder_(*op.block()),
        translator_(translator),
        variables_(declared.blocks[0].vars) {
    builder_.set_before(&op);
  }

  void run() {
    variables_.clear();
    desc_.type = form_.old_name;
    inputs();
    outputs();
    for (const auto& [name, attribute] : op_.attributes()) {
      desc_.attributes.emplace(name, described(attribute));
    }
    OpTranslation translation(translator_, desc_, builder_);
    TranslationTable::get().translate(translation);
    results();
    op_.block()->erase(&op_);
  }

 private:
  std::string define(Value* v) {
    std::string name = str("in ", count_++);
    translator_.write(name, v);
    return name;
  }

  void inputs() {
    const std::vector<std::string> slots = words(form_.inputs);
    for (size_t i = 0; i < slots.size() && i < op_.num_operands(); ++i) {
      Value* v = op_.operand(i);
      if (!v || slots[i] == "_") continue;
      if (!slots[i].ends_with('*')) {
        PADDLE_CHECK_VALUE(!v->type().is_vector(), op_.name(), ": operand ", i,
                           " is a list; one tensor is expected.");
        desc_.inputs[slots[i]] = {define(v)};
        continue;
      }
      auto& list = desc_.inputs[slots[i].substr(0, slots[i].size() - 1)];
      if (!v->type().is_vector()) {
        list = {define(v)};
      } else if (v->producer() && v->producer()->is("builtin.combine")) {
        for (Value* e : v->producer()->operands()) list.push_back(define(e));
      } else {
        Operation* split = builder_.create("builtin.split", {v}, v->type().elements());
        for (size_t k = 0; k < split->num_results(); ++k) list.push_back(define(split->result(k)));
      }
    }
  }

  void outputs() {
    const std::vector<std::string> slots = words(form_.outputs);
    for (size_t k = 0; k < slots.size() && k < op_.num_results(); ++k) {
      if (slots[k] == "_") continue;
      const bool is_list = slots[k].ends_with('*');
      const size_t n = is_list ? op_.result(k)->type().elements().size() : 1;
      auto& list = desc_.outputs[slots[k].substr(0, slots[k].size() - (is_list ? 1 : 0))];
      for (size_t i = 0; i < n; ++i) {
        list.push_back(str("out ", k, ' ', i));
        const Type& t = is_list ? op_.result(k)->type().elements()[i] : op_.result(k)->type();
        declare(list.back(), t);
      }
    }
  }

  void declare(const std::string& name, const Type& type) {
    VarDesc var;
    var.name = name;
    var.kind = VarDesc::kDenseTensor;
    var.dtype = type.dtype();
    for (const Dim d : type.shape()) var.dims.push_back(d.is_symbolic() ? -1 : d.value());
    variables_.emplace(name, var);
    translator_.write(name, nullptr);
  }

  void results() {
    const std::vector<std::string> slots = words(form_.outputs);
    for (size_t k = 0; k < op_.num_results(); ++k) {
      Value* old = op_.result(k);
      if (!old->used()) continue;
      const size_t n = old->type().is_vector() ? old->type().elements().size() : 1;
      std::vector<Value*> values;
      for (size_t i = 0; i < n; ++i) {
        Value* v = translator_.find(str("out ", k, ' ', i));
        PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, v, op_.name(), ": the program reads result ",
                          k, ", which paddle does not compute.");
        values.push_back(v);
      }
      old->replace_all_uses_with(old->type().is_vector() ? builder_.combine(values) : values[0]);
    }
  }

  Operation& op_;
  const Form& form_;
  Builder builder_;
  Translator& translator_;
  std::map<std::string, VarDesc, std::less<>>& variables_;
  OpDesc desc_;
  int count_ = 0;
};

// Files split lists of results even where the parts are dead.
void drop_unread_splits(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) drop_unread_splits(*inner);
    }
    if (op->is("builtin.split") && !op->used()) block.erase(op);
  }
}

void expand(Block& block, Translator& translator, ProgramDesc& declared) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) expand(*inner, translator, declared);
    }
    const Form* form = op->def ? nullptr : form_of(op->name());
    if (form) Expansion(*op, *form, translator, declared).run();
  }
}

}  // namespace

bool is_compound(const Operation& op) {
  if (is_array_operation(op)) return true;
  const Form* form = op.def ? nullptr : form_of(op.name());
  return form && TranslationTable::get().contains(std::string(form->old_name));
}

void expand_compounds(Program& program) {
  Block& block = program.block();
  const bool arrays = any_of(block, [](const Operation& op) { return is_array_operation(op); });
  const bool compounds =
      any_of(block, [](const Operation& op) { return !op.def && form_of(op.name()); });
  if (!arrays && !compounds) return;
  drop_unread_splits(block);
  ProgramDesc declared{0, std::vector<BlockDesc>(1)};
  Translator translator(declared, program);
  set_extents(block, &translator.symbols());
  if (arrays) lower_arrays(program, translator);
  if (compounds) expand(block, translator, declared);
  set_extents(block, nullptr);
}

}  // namespace paddle::pir
