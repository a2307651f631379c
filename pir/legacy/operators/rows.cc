// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Old operators that are one operator here, as rows (translate.h). Defaults are those of the old
// operators, whose attributes of default value some exporters leave out.
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

constexpr const char* kUnary[] = {
    "abs",         "acos",        "acosh",       "asin",       "asinh",    "atan",   "atanh",
    "ceil",        "cos",         "cosh",        "digamma",    "erf",      "erfinv", "exp",
    "expm1",       "floor",       "lgamma",      "log",        "log10",    "log1p",  "log2",
    "logical_not", "bitwise_not", "logsigmoid",  "reciprocal", "relu",     "rsqrt",  "sigmoid",
    "sign",        "silu",        "sin",         "sinh",       "softsign", "sqrt",   "square",
    "tan",         "tanh",        "tanh_shrink", "trunc",      "mish",     "relu6",  "swish",
    "conj",        "real",        "imag"};

constexpr const char* kActivations = R"(
hard_swish: hardswish x=X => Out
hard_sigmoid: hardsigmoid x=X @slope:0.2 @offset:0.5 => Out
leaky_relu: leaky_relu x=X negative_slope@alpha:0.02 => Out
elu: elu x=X @alpha:1.0 => Out
celu: celu x=X @alpha:1.0 => Out
selu: selu x=X @scale:1.0507009873554805 @alpha:1.6732632423543772 => Out
gelu: gelu x=X @approximate:false => Out
softplus: softplus x=X @beta:1.0 @threshold:20.0 => Out
hard_shrink: hardshrink x=X @threshold:0.5 => Out
softshrink: softshrink x=X threshold@lambda:0.5 => Out
thresholded_relu: thresholded_relu x=X @threshold:1.0 @value:0.0 => Out
brelu: hardtanh x=X @t_min:0.0 @t_max:24.0 => Out
prelu: prelu x=X alpha=Alpha @data_format:NCHW @mode:all => Out
softmax: softmax x=X @axis:-1 => Out
log_softmax: log_softmax x=X @axis:-1 => Out
round: round x=X @decimals:0 => Out
stanh: stanh x=X @scale_a:0.67 @scale_b:1.7159 => Out
maxout: maxout x=X @groups:1 @axis:1 => Out
clip: clip x=X min=Min @min:0.0 max=Max @max:0.0 => Out
scale: scale x=X scale=ScaleTensor @scale:1.0 @bias:0.0 @bias_after_scale:true => Out
pow: pow x=X y=FactorTensor y@factor:1.0 => Out
increment: increment x=X value@step:1.0 => Out
)";

constexpr const char* kLayers = R"(
conv3d: conv3d input=Input filter=Filter @strides:[1,1,1] @paddings:[0,0,0] @padding_algorithm:EXPLICIT @groups:1 @dilations:[1,1,1] @data_format:NCDHW => Output
conv3d_transpose: conv3d_transpose x=Input filter=Filter @strides:[1,1,1] @paddings:[0,0,0] @output_padding:[] @output_size:[] @padding_algorithm:EXPLICIT @groups:1 @dilations:[1,1,1] @data_format:NCDHW => Output
deformable_conv: deformable_conv x=Input offset=Offset filter=Filter mask=Mask @strides:[1,1] @paddings:[0,0] @dilations:[1,1] @deformable_groups:1 @groups:1 @im2col_step:64 => Output
deformable_conv_v1: deformable_conv x=Input offset=Offset filter=Filter @strides:[1,1] @paddings:[0,0] @dilations:[1,1] @deformable_groups:1 @groups:1 @im2col_step:64 => Output
batch_norm: batch_norm_ x=X mean=Mean variance=Variance scale=Scale bias=Bias @is_test:false @momentum:0.9 @epsilon:1e-05 data_format@data_layout:NCHW @use_global_stats:false @trainable_statistics:false => Y MeanOut VarianceOut SavedMean SavedVariance
sync_batch_norm: batch_norm_ x=X mean=Mean variance=Variance scale=Scale bias=Bias @is_test:false @momentum:0.9 @epsilon:1e-05 data_format@data_layout:NCHW @use_global_stats:false @trainable_statistics:false => Y MeanOut VarianceOut SavedMean SavedVariance
layer_norm: layer_norm x=X scale=Scale bias=Bias @epsilon:1e-05 @begin_norm_axis:1 => Y Mean Variance
instance_norm: instance_norm x=X scale=Scale bias=Bias @epsilon:1e-05 => Y SavedMean SavedVariance
group_norm: group_norm x=X scale=Scale bias=Bias @epsilon:1e-05 @groups:1 data_format@data_layout:NCHW => Y Mean Variance
pool2d: pool2d x=X kernel_size@ksize @strides:[1,1] @paddings:[0,0] @ceil_mode:false @exclusive:true @data_format:NCHW @pooling_type:max @global_pooling:false @adaptive:false @padding_algorithm:EXPLICIT => Out
pool3d: pool3d x=X kernel_size@ksize @strides:[1,1,1] @paddings:[0,0,0] @ceil_mode:false @exclusive:true @data_format:NCDHW @pooling_type:max @global_pooling:false @adaptive:false @padding_algorithm:EXPLICIT => Out
max_pool2d_with_index: max_pool2d_with_index x=X kernel_size@ksize @strides:[1,1] @paddings:[0,0] @global_pooling:false @adaptive:false @ceil_mode:false => Out Mask
max_pool2d_v2: max_pool2d_with_index x=x @kernel_size @strides:[1,1] @paddings:[0,0] @global_pooling:false @adaptive:false => out saved_idx
dropout: dropout x=X seed_tensor=Seed p@dropout_prob:0.5 @is_test:false mode@dropout_implementation:downgrade_in_infer @seed:0 @fix_seed:false => Out Mask
lookup_table_v2: embedding x=Ids weight=W @padding_idx:-1 => Out
pad3d: pad3d x=X paddings=Paddings @paddings @mode:constant pad_value@value:0.0 @data_format:NCDHW => Out
pad: pad x=X @paddings @pad_value:0.0 => Out
pixel_unshuffle: pixel_unshuffle x=X @downscale_factor:1 @data_format:NCHW => Out
channel_shuffle: channel_shuffle x=X @groups @data_format:NCHW => Out
unfold: unfold x=X @kernel_sizes @strides @paddings @dilations => Y
fold: fold x=X @output_sizes @kernel_sizes @strides @paddings @dilations => Y
affine_grid: affine_grid input=Theta output_shape=OutputShape @output_shape:[] @align_corners:true => Output
rms_norm: rms_norm x=x scale=scale @normalized_shape:[] @epsilon:1e-05 => y
pixel_shuffle: pixel_shuffle x=X @upscale_factor:1 @data_format:NCHW => Out
shuffle_channel: channel_shuffle x=X groups@group:1 => Out
grid_sampler: grid_sample x=X grid=Grid @mode:bilinear @padding_mode:zeros @align_corners:true => Output
roi_align: roi_align x=X boxes=ROIs boxes_num=RoisNum boxes_num#ROIs @pooled_height:1 @pooled_width:1 @spatial_scale:1.0 @sampling_ratio:-1 @aligned:false => Out
box_coder: box_coder prior_box=PriorBox prior_box_var=PriorBoxVar target_box=TargetBox @code_type:encode_center_size @box_normalized:true @axis:0 @variance:[] => OutputBox
roi_pool: roi_pool x=X boxes=ROIs boxes_num=RoisNum boxes_num#ROIs @pooled_height:1 @pooled_width:1 @spatial_scale:1.0 => Out Argmax
psroi_pool: psroi_pool x=X boxes=ROIs boxes_num=RoisNum boxes_num#ROIs @pooled_height:1 @pooled_width:1 @output_channels:1 @spatial_scale:1.0 => Out
minus: subtract x=X y=Y => Out
crop: crop x=X offsets=Offsets @offsets @shape => Out
flash_attn: flash_attn q=q k=k v=v fixed_seed_offset=fixed_seed_offset attn_mask=attn_mask @dropout:0.0 @causal:false @return_softmax:false @is_test:true @rng_name: => out softmax softmax_lse seed_offset
generate_proposals_v2: generate_proposals scores=Scores bbox_deltas=BboxDeltas im_shape=ImShape anchors=Anchors variances=Variances pre_nms_top_n@pre_nms_topN post_nms_top_n@post_nms_topN @nms_thresh @min_size @eta @pixel_offset:true => RpnRois RpnRoiProbs RpnRoisNum#RpnRois
yolo_box: yolo_box x=X img_size=ImgSize @anchors @class_num @conf_thresh @downsample_ratio @clip_bbox:true @scale_x_y:1.0 @iou_aware:false @iou_aware_factor:0.5 => Boxes Scores
prior_box: prior_box input=Input image=Image @min_sizes @max_sizes:[] @aspect_ratios:[] @variances:[] @flip:true @clip:true @step_w:0.0 @step_h:0.0 @offset:0.5 @min_max_aspect_ratios_order:false => Boxes Variances
multiclass_nms2: multiclass_nms3 bboxes=BBoxes scores=Scores rois_num=RoisNum rois_num#BBoxes @score_threshold @nms_top_k @keep_top_k @nms_threshold:0.3 @normalized:true @nms_eta:1.0 @background_label:0 => Out Index NmsRoisNum#Out
multiclass_nms3: multiclass_nms3 bboxes=BBoxes scores=Scores rois_num=RoisNum rois_num#BBoxes @score_threshold @nms_top_k @keep_top_k @nms_threshold:0.3 @normalized:true @nms_eta:1.0 @background_label:0 => Out Index NmsRoisNum#Out
matrix_nms: matrix_nms bboxes=BBoxes scores=Scores @score_threshold @nms_top_k @keep_top_k @post_threshold:0.0 @use_gaussian:false @gaussian_sigma:2.0 @background_label:0 @normalized:true => Out Index RoisNum#Out
)";

constexpr const char* kShapes = R"(
assign: assign x=X => Out
share_data: assign x=X => Out
cast: cast x=X dtype@out_dtype => Out
reshape2: reshape x=X shape=ShapeTensor* shape=Shape @shape => Out
reshape: reshape x=X shape=ShapeTensor* shape=Shape @shape => Out
transpose2: transpose x=X perm@axis => Out
transpose: transpose x=X perm@axis => Out
unsqueeze2: unsqueeze x=X axis=AxesTensorList* axis=AxesTensor axis@axes => Out
unsqueeze: unsqueeze x=X axis=AxesTensorList* axis=AxesTensor axis@axes => Out
flatten_contiguous_range: flatten x=X @start_axis:1 @stop_axis:1 => Out
concat: concat x=X* axis=AxisTensor @axis:0 => Out
stack: stack x=X* @axis:0 => Y
unstack: unstack x=X @axis:0 @num:0 => Y*
unbind: unbind input=X @axis:0 => Out*
meshgrid: meshgrid inputs=X* => Out*
slice: slice input=Input @axes starts=StartsTensorList* starts=StartsTensor @starts ends=EndsTensorList* ends=EndsTensor @ends decrease_axis@decrease_axis:[] => Out
expand_v2: expand x=X shape=expand_shapes_tensor* shape=Shape @shape => Out
expand_as_v2: expand_as x=X y=Y @target_shape:[] => Out
tile: tile x=X repeat_times=repeat_times_tensor* repeat_times=RepeatTimes @repeat_times => Out
expand: tile x=X repeat_times=expand_times_tensor* repeat_times=ExpandTimes repeat_times@expand_times => Out
flip: flip x=X @axis => Out
reverse: flip x=X @axis => Out
roll: roll x=X shifts=ShiftsTensor @shifts @axis:[] => Out
diag_v2: diag x=X @offset:0 @padding_value:0.0 => Out
diag_embed: diag_embed input=Input @offset:0 @dim1:-2 @dim2:-1 => Out
diagonal: diagonal x=Input @offset:0 @axis1:0 @axis2:1 => Out
fill_any_like: full_like x=X @value:0.0 @dtype:-1 => Out
fill_zeros_like: full_like x=X value!0.0 => Out
size: numel x=Input => Out
linspace: linspace start=Start stop=Stop number=Num @dtype => Out
eye: eye @num_rows @num_columns:-1 @dtype:5 => Out
is_empty: is_empty x=X => Out
crop_tensor: crop x=X shape=ShapeTensor* shape=Shape @shape offsets=OffsetsTensor* offsets=Offsets @offsets => Out
gather: gather x=X index=Index axis=Axis @axis:0 => Out
gather_nd: gather_nd x=X index=Index => Out
scatter: scatter x=X index=Ids updates=Updates @overwrite:true => Out
scatter_nd_add: scatter_nd_add x=X index=Index updates=Updates => Out
index_select: index_select x=X index=Index axis@dim:0 => Out
index_sample: index_sample x=X index=Index => Out
take_along_axis: take_along_axis arr=Input indices=Index axis@Axis:0 => Result
masked_select: masked_select x=X mask=Mask => Y
where: where condition=Condition x=X y=Y => Out
put_along_axis: put_along_axis arr=Input indices=Index values=Value axis@Axis reduce@Reduce:assign include_self@Include_self:true => Result
index_add: index_add x=X index=Index add_value=AddValue @axis:0 => Out
masked_fill: masked_fill x=x mask=mask value=value => out
where_index: nonzero condition=Condition => Out
)";

constexpr const char* kReductions = R"(
mean: mean_all x=X => Out
arg_max: argmax x=X axis=AxisTensor @axis:-1 @keepdims:false @flatten:false @dtype:-1 => Out
arg_min: argmin x=X axis=AxisTensor @axis:-1 @keepdims:false @flatten:false @dtype:-1 => Out
top_k_v2: topk x=X k=K @k:1 @axis:-1 @largest:true @sorted:true => Out Indices
top_k: topk x=X k=K @k:1 => Out Indices
argsort: argsort x=X @axis:-1 @descending:false @stable:false => Out Indices
cumsum: cumsum x=X @axis:-1 @flatten:false @exclusive:false @reverse:false => Out
p_norm: p_norm x=X @porder:2.0 @axis:-1 @epsilon:1e-12 @keepdim:false @asvector:false => Out
sum: add_n inputs=X* => Out
bmm: bmm x=X y=Y => Out
addmm: addmm input=Input x=X y=Y beta@Beta:1.0 alpha@Alpha:1.0 => Out
baddbmm: baddbmm input=Input x=X y=Y beta@Beta:1.0 alpha@Alpha:1.0 => Out
kron: kron x=X y=Y => Out
cross: cross x=X y=Y axis@dim:9 => Out
lerp: lerp x=X y=Y weight=Weight => Out
dist: dist x=X y=Y @p:2.0 => Out
inverse: inverse x=Input => Output
cholesky: cholesky x=X @upper:false => Out
trace: trace x=Input @offset:0 @axis1:0 @axis2:1 => Out
cumprod: cumprod x=X @dim @exclusive:false @reverse:false => Out
logcumsumexp: logcumsumexp x=X @axis:-1 @flatten:false @exclusive:false @reverse:false => Out
kthvalue: kthvalue x=X @k:1 @axis:-1 @keepdim:false => Out Indices
searchsorted: searchsorted sorted_sequence=SortedSequence values=Values @out_int32:false @right:false => Out
softmax_with_cross_entropy: cross_entropy_with_softmax input=Logits label=Label @soft_label:false @use_softmax:true @numeric_stable_mode:true @ignore_index:-100 @axis:-1 => Softmax Loss
mv: mv x=X vec=Vec => Out
dot: dot x=X y=Y => Out
bitwise_and: bitwise_and x=X y=Y => Out
bitwise_or: bitwise_or x=X y=Y => Out
bitwise_xor: bitwise_xor x=X y=Y => Out
atan2: atan2 x=X1 y=X2 => Out
allclose: allclose x=Input y=Other rtol=Rtol @rtol:1e-05 atol=Atol @atol:1e-08 @equal_nan:false => Out
isclose: isclose x=Input y=Other rtol=Rtol @rtol:1e-05 atol=Atol @atol:1e-08 @equal_nan:false => Out
equal_all: equal_all x=X y=Y => Out
isnan_v2: isnan x=X => Out
isinf_v2: isinf x=X => Out
isfinite_v2: isfinite x=X => Out
)";

}  // namespace

void add_row_translations(TranslationTable& table) {
  for (const char* name : kUnary) table.add_rows(str(name, ": ", name, " x=X => Out"));
  for (const char* rows : {kActivations, kLayers, kShapes, kReductions}) table.add_rows(rows);
}

}  // namespace paddle::pir
