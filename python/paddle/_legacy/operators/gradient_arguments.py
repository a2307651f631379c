# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of gradient operators, in PaddlePaddle's order: what `gradient_ops` makes functions of.

A row is `operators : tensors ; attributes ; inputs that get a gradient`. Tensors are inputs and results of the operator,
and gradients of results (`out_grad`). Without attributes they are those of the operator; `-` is none. Without inputs they
are all that hold floating-point numbers.
"""

import functools

_ROWS = (
    """
abs acos acosh angle asin asinh atan atanh cos cosh digamma erf expand gammaln gelu i0 lgamma : x out_grad
log10 log1p log2 log logsigmoid mean_all roll sin sinh softsign square squared_l2_norm squeeze tan : x out_grad
tanh_shrink tile unsqueeze celu hardshrink hardtanh leaky_relu logit renorm softplus softshrink : x out_grad
mish : x out_grad ; lambda_
stanh thresholded_relu cumsum clip pow diagonal frame identity_loss overlap_add polygamma : x out_grad
repeat_interleave trace fold pad strided_slice unfold fft_r2c pad3d l1_norm : x out_grad
cast flatten reshape hardswish swish : x out_grad ; -
diag : x out_grad ; offset
crop : x out_grad ; offsets
expand_as : x out_grad ; target_shape ; x
index_select_strided : x out_grad
var : x out_grad
std : x out out_grad
slice : input out_grad
view_dtype view_shape tensor_unfold as_strided : input out_grad
affine_grid : input output_grad
sum mean nansum : x out_grad ; axis keepdim reduce_all
max min amax amin prod logsumexp frobenius_norm : x out out_grad ; axis keepdim reduce_all
det i0e i1 i1e silu slogdet elu p_norm cumprod logcumsumexp matrix_power maxout : x out out_grad
pool2d pool3d lp_pool2d : x out out_grad
lu : x out pivots out_grad
lu_unpack : x y l u pmat l_grad u_grad ; ; x
cholesky erfinv exp expm1 inverse reciprocal relu6 relu rsqrt sigmoid sqrt tanh hardsigmoid selu : out out_grad
log_softmax softmax : out out_grad
gumbel_softmax : out out_grad ; axis
as_complex as_real assign ceil conj floor imag real round sign trunc channel_shuffle pixel_shuffle : out_grad
pixel_unshuffle temporal_shift tril triu flip fill fill_diagonal fill_diagonal_tensor fft_c2c fft_c2r : out_grad
transpose : out_grad ; perm
label_smooth : out_grad ; epsilon
split : out_grad ; axis
split_with_num : out_grad ; axis
unbind unstack : out_grad ; axis
meshgrid : inputs out_grad
broadcast_tensors : input out_grad
concat stack : x out_grad
multiplex : inputs index out_grad
atan2 bmm copysign dot elementwise_pow fmax fmin heaviside kron matmul maximum minimum remainder : x y out_grad
swiglu cross : x y out_grad
gammaincc : x y out_grad ; ; y
add subtract multiply : x y out_grad ; axis
divide : x y out out_grad ; axis
cholesky_solve solve triangular_solve dist : x y out out_grad
lerp : x y weight out out_grad ; ; x y
bilinear : x y weight out_grad
where : condition x y out_grad
complex : real imag out_grad
mv : x vec out_grad
addmm baddbmm : input x y out_grad ; alpha beta
reduce_as : x target out_grad ; ; x
gather gather_nd index_sample index_select : x index out_grad
index_add : index add_value out_grad ; axis
index_put : x indices value out_grad
scatter scatter_nd_add : index updates out_grad
take_along_axis : arr indices out_grad
put_along_axis : arr indices values out out_grad
masked_select : x mask out_grad
masked_fill : x mask value out_grad
embedding embedding_with_scaled_gradient : x weight out_grad ; ; weight
repeat_interleave_with_tensor_index : x repeats out_grad
argsort : indices x out_grad
topk cummax cummin kthvalue mode : x indices out_grad
max_with_index min_with_index : x values indices values_grad
median : x out medianindex out_grad
nanmedian : x out medians out_grad
conv2d conv3d depthwise_conv2d : input filter out_grad
conv2d_transpose conv3d_transpose depthwise_conv2d_transpose : x filter out_grad
deformable_conv : x offset filter mask out_grad
max_pool2d_with_index max_pool3d_with_index fractional_max_pool2d fractional_max_pool3d : x mask out_grad
unpool unpool3d : x indices out out_grad
bicubic_interp bilinear_interp linear_interp nearest_interp trilinear_interp : """
    """x out_size size_tensor scale_tensor out_grad ; ; x
grid_sample : x grid out_grad
roi_align psroi_pool : x boxes boxes_num out_grad ; ; x
roi_pool : x boxes boxes_num arg_max out_grad ; ; x
prelu : x alpha out_grad
layer_norm : x scale bias mean variance out_grad
group_norm : x scale bias y mean variance y_grad
instance_norm : x scale bias saved_mean saved_variance y_grad
norm : x norm out_grad
rrelu : x noise out_grad
bce_loss : input label out_grad ; ; input
huber_loss : residual out_grad ; ; input label
kldiv_loss : x label out_grad ; ; x
log_loss : input label out_grad ; ; input
nll_loss : input label weight total_weight out_grad ; ; input
hinge_loss : logits labels loss_grad ; ; logits
sigmoid_cross_entropy_with_logits : x label pos_weight out_grad ; ; x
cross_entropy_with_softmax : label softmax loss_grad ; ; input
eig eigh : out_w out_v out_w_grad out_v_grad
eigvalsh : eigenvectors eigenvalues_grad
qr : x q r q_grad r_grad
svd : x u vh s u_grad vh_grad s_grad
svdvals : x s_grad
stft : x window out_grad ; ; x
segment_pool : x segment_ids out summed_ids out_grad ; ; x
send_u_recv : x src_index dst_index out dst_count out_grad ; ; x
send_uv : x y src_index dst_index out_grad
send_ue_recv : x y src_index dst_index out dst_count out_grad
spectral_norm : weight u v out_grad ; ; weight
multi_dot : x out_grad
flash_attn : q k v out softmax_lse seed_offset attn_mask out_grad ; dropout causal ; q k v
fused_softmax_mask : softmax out_grad ; ; x
"""
)


@functools.cache
def _rows():
    found = {}
    for line in _ROWS.strip().splitlines():
        operators, _, rest = line.partition(" : ")
        tensors, attributes, wanted = ([part.strip() for part in rest.split(";")] + ["", ""])[:3]
        row = (tuple(tensors.split()), attributes, tuple(wanted.split()))
        found.update(dict.fromkeys(operators.split(), row))
    return found


def find(operator):
    """(tensors, attributes, inputs with a gradient) of the gradient of an operator, or None."""
    return _rows().get(operator)


def names():
    """The operators whose gradients are known."""
    return list(_rows())
