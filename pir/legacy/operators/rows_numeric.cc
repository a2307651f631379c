// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Old operators that are one operator here, continued (rows.cc): numerics, linear
// algebra, losses, random numbers, and the steps of optimizers.
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

constexpr const char* kNumeric = R"(
angle: angle x=X => Out
as_complex: as_complex x=X => Out
as_real: as_real x=X => Out
bce_loss: bce_loss input=X label=Label => Out
bernoulli: bernoulli x=X => Out
bincount: bincount x=X weights=Weights @minlength:0 => Out
binomial: binomial count=count prob=prob => out
bitwise_left_shift: bitwise_left_shift x=x y=y @is_arithmetic:true => out
bitwise_right_shift: bitwise_right_shift x=x y=y @is_arithmetic:true => out
broadcast_tensors: broadcast_tensors input=X* => Out*
cholesky_solve: cholesky_solve x=X y=Y @upper:false => Out
complex: complex real=X imag=Y => Out
copysign: copysign x=x y=y => out
cummax: cummax x=x @axis:-1 @dtype:3 => out indices
cummin: cummin x=x @axis:-1 @dtype:3 => out indices
determinant: det x=Input => Out
dirichlet: dirichlet alpha=Alpha => Out
eig: eig x=X => Eigenvalues Eigenvectors
eigh: eigh x=X @UPLO:L => Eigenvalues Eigenvectors
eigvals: eigvals x=X => Out
eigvalsh: eigvalsh x=X uplo@UPLO:L @is_test:false => Eigenvalues
elementwise_heaviside: heaviside x=X y=Y => Out
exponential: exponential x=X lam@lambda:1.0 => Out
fft_c2c: fft_c2c x=X @axes @normalization:backward @forward:true => Out
fft_c2r: fft_c2r x=X @axes @normalization:backward @forward:true @last_dim_size:0 => Out
fft_r2c: fft_r2c x=X @axes @normalization:backward @forward:true @onesided:true => Out
fill_any: fill x=X @value:0.0 => Out
fill_diagonal: fill_diagonal x=X @value:0.0 @offset:0 @wrap:false => Out
fill_diagonal_tensor: fill_diagonal_tensor x=X y=Y @offset:0 @dim1:0 @dim2:1 => Out
fractional_max_pool2d: fractional_max_pool2d x=x @output_size @kernel_size:[0,0] @random_u:0.0 @return_mask:true => out mask
fractional_max_pool3d: fractional_max_pool3d x=x @output_size @kernel_size:[0,0,0] @random_u:0.0 @return_mask:true => out mask
frame: frame x=X @frame_length @hop_length @axis:-1 => Out
fused_rotary_position_embedding: fused_rotary_position_embedding q=q k=k v=v sin=sin cos=cos position_ids=position_ids @use_neox_rotary_style:true @time_major:false @rotary_emb_base:10000.0 => out_q out_k out_v
gammaincc: gammaincc x=x y=y => out
gammaln: gammaln x=x => out
gather_tree: gather_tree ids=Ids parents=Parents => Out
gumbel_softmax: gumbel_softmax x=X @temperature:1.0 @hard:false @axis:-1 => Out
hinge_loss: hinge_loss logits=Logits labels=Labels => Loss
histogram: histogram input=X weight=Weight @bins:100 @min:0.0 @max:0.0 @density:false => Out
huber_loss: huber_loss input=X label=Y @delta => Out Residual
i0: i0 x=x => out
i0e: i0e x=x => out
i1: i1 x=x => out
i1e: i1e x=x => out
identity_loss: identity_loss x=X @reduction:1 => Out
index_put: index_put x=x indices=indices* value=value @accumulate:false => out
kldiv_loss: kldiv_loss x=X label=Target @reduction:mean @log_target:false => Loss
log_loss: log_loss input=Predicted label=Labels @epsilon:0.0001 => Loss
logit: logit x=X @eps:1e-06 => Out
lp_pool2d: lp_pool2d x=x kernel_size=KernelSizeTensor kernel_size=KernelSizeTensorList* @kernel_size @strides:[1,1] @paddings:[0,0] @ceil_mode:false @exclusive:true @data_format:NCHW @pooling_type: @global_pooling:false @adaptive:false @padding_algorithm:EXPLICIT @norm_type:0.0 => out
lstsq: lstsq x=X y=Y @rcond:0.0 @driver:gels => Solution Residuals Rank SingularValues
lu: lu x=X pivot@pivots:true => Out Pivots Infos
lu_solve: lu_solve b=b lu=lu pivots=pivots @trans:N => out
lu_unpack: lu_unpack x=X y=Pivots @unpack_ludata:true @unpack_pivots:true => Pmat L U
matrix_power: matrix_power x=X @n => Out
max_pool3d_with_index: max_pool3d_with_index x=X kernel_size@ksize @strides:[1,1,1] @paddings:[0,0,0] @global_pooling:false @adaptive:false @ceil_mode:false => Out Mask
median: median x=x axis=AxisTensor axis=AxisTensorList* @axis:[] @keepdim:true @mode:avg => out medians
mode: mode x=X @axis:-1 @keepdim:false => Out Indices
multinomial: multinomial x=X @num_samples:1 @replacement:false => Out
multiplex: multiplex inputs=X* index=Ids => Out
nanmedian: nanmedian x=X @axis:[] @keepdim:true @mode:avg => Out MedianIndex
nansum: nansum x=x axis=AxisTensor axis=AxisTensorList* @axis:[] @dtype:-1 @keepdim:false => out
nextafter: nextafter x=x y=y => out
nll_loss: nll_loss input=X label=Label weight=Weight @ignore_index:-100 @reduction:mean => Out Total_weight
nms: nms x=Boxes threshold@iou_threshold:1.0 => KeepBoxesIdxs
overlap_add: overlap_add x=X @hop_length @axis:-1 => Out
poisson: poisson x=X => Out
polygamma: polygamma x=x @n => out
qr: qr x=X @mode:reduced => Q R
randperm: randperm @n @dtype:3 => Out
rint: round x=x => out
reduce_amax: amax x=X axis@dim:[0] keepdim@keep_dim:false => Out
reduce_amin: amin x=X axis@dim:[0] keepdim@keep_dim:false => Out
reduce_as: reduce_as x=x target=target => out
rrelu: rrelu x=X @lower:0.125 @upper:0.33333334 @is_test:false => Out Noise
shape64: shape64 input=input => out
shard_index: shard_index input=X @index_num @nshards @shard_id @ignore_value:-1 => Out
sigmoid_cross_entropy_with_logits: sigmoid_cross_entropy_with_logits x=X label=Label pos_weight=pos_weight @normalize:false @ignore_index:-100 => Out
slogdeterminant: slogdet x=Input => Out
solve: solve x=X y=Y => Out
squared_l2_norm: squared_l2_norm x=X => Out
standard_gamma: standard_gamma x=x => out
std: std x=x @axis:[] @keepdim:false @unbiased:true @correction:1.0 => out
stft: stft x=X window=Window @n_fft @hop_length @normalized:false @onesided:true => Out
svd: svd x=X @full_matrices:false => U S VH
svdvals: svdvals x=x => s
swiglu: swiglu x=x y=y => out
triangular_solve: triangular_solve x=X y=Y @upper:true @transpose:false @unitriangular:false => Out
trans_layout: transpose x=x @perm => out
tril_indices: tril_indices @rows @cols @offset:0 @dtype:3 => out
triu_indices: triu_indices @row @col @offset:0 @dtype:3 => out
viterbi_decode: viterbi_decode potentials=Input transition_params=Transition lengths=Length @include_bos_eos_tag:true => Scores Path
trunc_divide: trunc_divide x=x y=y => out
unique: unique x=X @return_index:false @return_inverse:false @return_counts:false @axis:[] @dtype:3 => Out Indices Index Counts
unique_consecutive: unique_consecutive x=X @return_inverse:false @return_counts:false @axis:[] @dtype:3 => Out Index Counts
unpool: unpool x=X indices=Indices @ksize @strides:[1,1] padding@paddings:[0,0] @output_size:[] @data_format:NCHW => Out
unpool3d: unpool3d x=X indices=Indices @ksize @strides:[1,1,1] @paddings:[0,0,0] @output_size:[] @data_format:NCDHW => Out
var: var x=x @axis:[] @keepdim:false @unbiased:true @correction:1.0 => out
warpctc: warpctc logits=Logits label=Label logits_length=LogitsLength labels_length=LabelLength @blank:0 @norm_by_times:false => Loss WarpCTCGrad
warprnnt: warprnnt input=input label=label input_lengths=input_lengths label_lengths=label_lengths @blank:0 @fastemit_lambda:0.0 => loss warprnntgrad
)";

// They write their state in place and give it as results too.
constexpr const char* kOptimizers = R"(
adadelta: adadelta_ param=Param grad=Grad avg_squared_grad=AvgSquaredGrad avg_squared_update=AvgSquaredUpdate learning_rate=LearningRate master_param=MasterParam @rho:0.95 @epsilon:1e-06 @multi_precision:false => ParamOut AvgSquaredGradOut AvgSquaredUpdateOut MasterParamOut
adagrad: adagrad_ param=Param grad=Grad moment=Moment learning_rate=LearningRate master_param=MasterParam @epsilon:1e-06 @multi_precision:false => ParamOut MomentOut MasterParamOut
adam: adam_ param=Param grad=Grad learning_rate=LearningRate moment1=Moment1 moment2=Moment2 moment2_max=Moment2Max beta1_pow=Beta1Pow beta2_pow=Beta2Pow master_param=MasterParam skip_update=SkipUpdate beta1=Beta1Tensor @beta1:0.9 beta2=Beta2Tensor @beta2:0.999 epsilon=EpsilonTensor @epsilon:1e-08 @lazy_mode:false @min_row_size_to_use_multithread:1000 @multi_precision:false @use_global_beta_pow:false @amsgrad:false => ParamOut Moment1Out Moment2Out Moment2MaxOut Beta1PowOut Beta2PowOut MasterParamOut
adamax: adamax_ param=Param grad=Grad learning_rate=LearningRate moment=Moment inf_norm=InfNorm beta1_pow=Beta1Pow master_param=MasterParam @beta1:0.9 @beta2:0.999 @epsilon:1e-08 @multi_precision:false => ParamOut MomentOut InfNormOut MasterParamOut
adamw: adamw_ param=Param grad=Grad learning_rate=LearningRate moment1=Moment1 moment2=Moment2 moment2_max=Moment2Max beta1_pow=Beta1Pow beta2_pow=Beta2Pow master_param=MasterParam skip_update=SkipUpdate beta1=Beta1Tensor @beta1:0.9 beta2=Beta2Tensor @beta2:0.999 epsilon=EpsilonTensor @epsilon:1e-08 @lr_ratio:1.0 @coeff:0.01 @with_decay:false @lazy_mode:false @min_row_size_to_use_multithread:1000 @multi_precision:false @use_global_beta_pow:false @amsgrad:false => ParamOut Moment1Out Moment2Out Moment2MaxOut Beta1PowOut Beta2PowOut MasterParamOut
asgd: asgd_ param=param grad=grad learning_rate=learning_rate d=d y=y n=n master_param=master_param @multi_precision:false => param_out d_out y_out master_param_out
lamb: lamb_ param=Param grad=Grad learning_rate=LearningRate moment1=Moment1 moment2=Moment2 beta1_pow=Beta1Pow beta2_pow=Beta2Pow master_param=MasterParam skip_update=SkipUpdate @weight_decay @beta1:0.9 @beta2:0.999 @epsilon:1e-06 @always_adapt:false @multi_precision:false => ParamOut Moment1Out Moment2Out Beta1PowOut Beta2PowOut MasterParamOut
momentum: momentum_ param=Param grad=Grad velocity=Velocity learning_rate=LearningRate master_param=MasterParam @mu @use_nesterov:false @regularization_method: @regularization_coeff:0.0 @multi_precision:false @rescale_grad:1.0 => ParamOut VelocityOut MasterParamOut
nadam: nadam_ param=param grad=grad learning_rate=learning_rate momentum_decay_pow=momentum_decay_pow beta2_pow=beta2_pow mu_product=mu_product moment1=moment1 moment2=moment2 master_param=master_param @beta1:0.9 @beta2:0.999 @epsilon:1e-08 @momentum_decay:0.004 @multi_precision:false => param_out momentum_decay_pow_out beta2_pow_out mu_product_out moment1_out moment2_out master_param_out
radam: radam_ param=param grad=grad learning_rate=learning_rate beta1_pow=beta1_pow beta2_pow=beta2_pow rho=rho moment1=moment1 moment2=moment2 master_param=master_param @beta1:0.9 @beta2:0.999 @epsilon:1e-08 @multi_precision:false => param_out beta1_pow_out beta2_pow_out rho_out moment1_out moment2_out master_param_out
rmsprop: rmsprop_ param=Param mean_square=MeanSquare grad=Grad moment=Moment learning_rate=LearningRate mean_grad=MeanGrad master_param=MasterParam @epsilon:1e-10 @decay:0.9 @momentum:0.0 @centered:false @multi_precision:false => ParamOut MomentOut MeanSquareOut MeanGradOut MasterParamOut
rprop: rprop_ param=param grad=grad prev=prev learning_rate=learning_rate master_param=master_param learning_rate_range=learning_rate_range etas=etas @multi_precision:false => param_out prev_out learning_rate_out master_param_out
sgd: sgd_ param=Param learning_rate=LearningRate grad=Grad master_param=MasterParam @multi_precision:false => ParamOut MasterParamOut
)";

}  // namespace

void add_numeric_row_translations(TranslationTable& table) {
  for (const char* rows : {kNumeric, kOptimizers}) table.add_rows(rows);
}

}  // namespace paddle::pir
