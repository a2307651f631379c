// Batch norm of inference goes into weight and bias, the activation into the epilogue
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "pd_op.conv2d" (%0, %1) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW"} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%3) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%4) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%5) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%6) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%2, %3, %4, %5, %6) {is_test: true, momentum: 0.9:f32, epsilon: 1e-05:f32, data_format: "NCHW", use_global_stats: false, trainable_statistics: false} : (tensor<1x16x8x8xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>) -> (tensor<1x16x8x8xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<0xuint8>)
(%13) = "pd_op.hardswish" (%7) {} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%3) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%4) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%5) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%6) = "pd_op.full" () {shape: ints<>, value: scalar<1.0000000000000001e-05>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<float32>)
(%7) = "pd_op.add" (%3, %6) {} : (tensor<16xfloat32>, tensor<float32>) -> (tensor<16xfloat32>)
(%8) = "pd_op.rsqrt" (%7) {} : (tensor<16xfloat32>) -> (tensor<16xfloat32>)
(%9) = "pd_op.multiply" (%8, %4) {} : (tensor<16xfloat32>, tensor<16xfloat32>) -> (tensor<16xfloat32>)
(%10) = "pd_op.multiply" (%2, %9) {} : (tensor<16xfloat32>, tensor<16xfloat32>) -> (tensor<16xfloat32>)
(%11) = "pd_op.subtract" (%5, %10) {} : (tensor<16xfloat32>, tensor<16xfloat32>) -> (tensor<16xfloat32>)
(%12) = "pd_op.full_int_array" () {value: [16:i64, 1:i64, 1:i64, 1:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<4xint64>)
(%13) = "pd_op.reshape" (%9, %12) {} : (tensor<16xfloat32>, tensor<4xint64>) -> (tensor<16x1x1x1xfloat32>)
(%14) = "pd_op.multiply" (%1, %13) {} : (tensor<16x3x3x3xfloat32>, tensor<16x1x1x1xfloat32>) -> (tensor<16x3x3x3xfloat32>)
(%15) = "pd_op.conv2d_epilogue" (%0, %14, %11, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "hardswish", out_dtype: dtype<undefined>} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>, tensor<16xfloat32>, null) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%15) {} : (tensor<1x16x8x8xfloat32>) -> ()
// ----
// Bias, residual, activation and scale, in this order
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16x1x1xfloat32>)
(%3) = "pd_op.conv2d" (%0, %1) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW"} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%4) = "pd_op.add" (%3, %2) {} : (tensor<1x16x8x8xfloat32>, tensor<16x1x1xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%5) = "pd_op.add" (%0, %4) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%6) = "pd_op.relu" (%5) {} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%7) = "pd_op.full" () {shape: ints<1>, value: scalar<0.5>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%8) = "pd_op.scale" (%6, %7) {bias: scalar<0.25>, bias_after_scale: true} : (tensor<1x16x8x8xfloat32>, tensor<1xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%8) {} : (tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16x1x1xfloat32>)
(%3) = "pd_op.full_int_array" () {value: [-1:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<1xint64>)
(%4) = "pd_op.reshape" (%2, %3) {} : (tensor<16x1x1xfloat32>, tensor<1xint64>) -> (tensor<16xfloat32>)
(%5) = "pd_op.conv2d_epilogue" (%0, %1, %4, %0) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "add relu linear(0.5,0.25)", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>, tensor<16xfloat32>, tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%5) {} : (tensor<1x16x8x8xfloat32>) -> ()
// ----
// A result that is used elsewhere takes nothing in
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "pd_op.conv2d" (%0, %1) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW"} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%3) = "pd_op.relu" (%2) {} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%2, %3) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "pd_op.conv2d_epilogue" (%0, %1, _, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>, null, null) -> (tensor<1x16x8x8xfloat32>)
(%3) = "pd_op.relu" (%2) {} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%2, %3) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x8x8xfloat32>) -> ()
// ----
// A filter that is not known before the program runs
// RUN fuse_epilogue
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "pd_op.conv2d" (%0, %1) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW"} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%3) = "pd_op.relu" (%2) {} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%3) {} : (tensor<1x16x8x8xfloat32>) -> ()
// ----
// A product with its bias and activation
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<2x5xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<5x4xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<4xfloat32>)
(%3) = "pd_op.matmul" (%0, %1) {transpose_x: false, transpose_y: false} : (tensor<2x5xfloat32>, tensor<5x4xfloat32>) -> (tensor<2x4xfloat32>)
(%4) = "pd_op.add" (%3, %2) {} : (tensor<2x4xfloat32>, tensor<4xfloat32>) -> (tensor<2x4xfloat32>)
(%5) = "pd_op.gelu" (%4) {approximate: false} : (tensor<2x4xfloat32>) -> (tensor<2x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<2x4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x5xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<5x4xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<4xfloat32>)
(%3) = "pd_op.matmul_epilogue" (%0, %1, %2, _) {transpose_y: false, epilogue: "gelu", out_dtype: dtype<undefined>} : (tensor<2x5xfloat32>, tensor<5x4xfloat32>, tensor<4xfloat32>, null) -> (tensor<2x4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x4xfloat32>) -> ()
// ----
// Windows that do not overlap: a pointwise convolution and a shuffle
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x4x4xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x2x2x2xfloat32>)
(%2) = "pd_op.full_int_array" () {value: [], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<0xint64>)
(%3) = "pd_op.conv2d_transpose" (%0, %1, %2) {strides: [2:i32, 2:i32], paddings: [0:i32, 0:i32], output_padding: [], padding_algorithm: "EXPLICIT", groups: 1:i32, dilations: [1:i32, 1:i32], data_format: "NCHW"} : (tensor<1x3x4x4xfloat32>, tensor<3x2x2x2xfloat32>, tensor<0xint64>) -> (tensor<1x2x8x8xfloat32>)
(%4) = "builtin.parameter" () {} : () -> (tensor<2x1x1xfloat32>)
(%5) = "pd_op.add" (%3, %4) {} : (tensor<1x2x8x8xfloat32>, tensor<2x1x1xfloat32>) -> (tensor<1x2x8x8xfloat32>)
(%6) = "pd_op.relu" (%5) {} : (tensor<1x2x8x8xfloat32>) -> (tensor<1x2x8x8xfloat32>)
() = "builtin.results" (%6) {} : (tensor<1x2x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x4x4xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x2x2x2xfloat32>)
(%2) = "pd_op.transpose" (%1) {perm: [1:i32, 2:i32, 3:i32, 0:i32]} : (tensor<3x2x2x2xfloat32>) -> (tensor<2x2x2x3xfloat32>)
(%3) = "pd_op.full_int_array" () {value: [8:i64, 3:i64, 1:i64, 1:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<4xint64>)
(%4) = "pd_op.reshape" (%2, %3) {} : (tensor<2x2x2x3xfloat32>, tensor<4xint64>) -> (tensor<8x3x1x1xfloat32>)
(%5) = "builtin.parameter" () {} : () -> (tensor<2x1x1xfloat32>)
(%6) = "pd_op.full_int_array" () {value: [2:i64, 1:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<2xint64>)
(%7) = "pd_op.reshape" (%5, %6) {} : (tensor<2x1x1xfloat32>, tensor<2xint64>) -> (tensor<2x1xfloat32>)
(%8) = "pd_op.full_int_array" () {value: [2:i64, 4:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<2xint64>)
(%9) = "pd_op.expand" (%7, %8) {} : (tensor<2x1xfloat32>, tensor<2xint64>) -> (tensor<2x4xfloat32>)
(%10) = "pd_op.full_int_array" () {value: [-1:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<1xint64>)
(%11) = "pd_op.reshape" (%9, %10) {} : (tensor<2x4xfloat32>, tensor<1xint64>) -> (tensor<8xfloat32>)
(%12) = "pd_op.conv2d_epilogue" (%0, %4, %11, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "relu", out_dtype: dtype<undefined>} : (tensor<1x3x4x4xfloat32>, tensor<8x3x1x1xfloat32>, tensor<8xfloat32>, null) -> (tensor<1x8x4x4xfloat32>)
(%13) = "pd_op.pixel_shuffle" (%12) {upscale_factor: 2:i32, data_format: "NCHW"} : (tensor<1x8x4x4xfloat32>) -> (tensor<1x2x8x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<1x2x8x8xfloat32>) -> ()
// ----
// Windows that overlap
// RUN fuse_epilogue
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x4x4xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x2x3x3xfloat32>)
(%2) = "pd_op.full_int_array" () {value: [], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<0xint64>)
(%3) = "pd_op.conv2d_transpose" (%0, %1, %2) {strides: [2:i32, 2:i32], paddings: [0:i32, 0:i32], output_padding: [], padding_algorithm: "EXPLICIT", groups: 1:i32, dilations: [1:i32, 1:i32], data_format: "NCHW"} : (tensor<1x3x4x4xfloat32>, tensor<3x2x3x3xfloat32>, tensor<0xint64>) -> (tensor<1x2x9x9xfloat32>)
() = "builtin.results" (%3) {} : (tensor<1x2x9x9xfloat32>) -> ()
// ----
// x + x * s with one factor per channel
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x3x1x1xfloat32>)
(%2) = "pd_op.multiply" (%0, %1) {} : (tensor<1x3x8x8xfloat32>, tensor<1x3x1x1xfloat32>) -> (tensor<1x3x8x8xfloat32>)
(%3) = "pd_op.add" (%0, %2) {} : (tensor<1x3x8x8xfloat32>, tensor<1x3x8x8xfloat32>) -> (tensor<1x3x8x8xfloat32>)
() = "builtin.results" (%3) {} : (tensor<1x3x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x3x1x1xfloat32>)
(%2) = "pd_op.full" () {shape: ints<>, value: scalar<1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<float32>)
(%3) = "pd_op.scale" (%1, %2) {bias: scalar<1.0>, bias_after_scale: true} : (tensor<1x3x1x1xfloat32>, tensor<float32>) -> (tensor<1x3x1x1xfloat32>)
(%4) = "pd_op.multiply" (%0, %3) {} : (tensor<1x3x8x8xfloat32>, tensor<1x3x1x1xfloat32>) -> (tensor<1x3x8x8xfloat32>)
() = "builtin.results" (%4) {} : (tensor<1x3x8x8xfloat32>) -> ()
// ----
// Batch norm in training stays
// RUN fuse_epilogue
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "pd_op.conv2d" (%0, %1) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW"} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%3) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%4) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%5) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%6) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%2, %3, %4, %5, %6) {is_test: false, momentum: 0.9:f32, epsilon: 1e-05:f32, data_format: "NCHW", use_global_stats: false, trainable_statistics: false} : (tensor<1x16x8x8xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>) -> (tensor<1x16x8x8xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<0xuint8>)
() = "builtin.results" (%7) {} : (tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x3x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x3x3x3xfloat32>)
(%2) = "pd_op.conv2d_epilogue" (%0, %1, _, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x3x8x8xfloat32>, tensor<16x3x3x3xfloat32>, null, null) -> (tensor<1x16x8x8xfloat32>)
(%3) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%4) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%5) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%6) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%2, %3, %4, %5, %6) {is_test: false, momentum: 0.90000000000000002:f32, epsilon: 1.0000000000000001e-05:f32, data_format: "NCHW", use_global_stats: false, trainable_statistics: false} : (tensor<1x16x8x8xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>) -> (tensor<1x16x8x8xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<16xfloat32>, tensor<0xuint8>)
() = "builtin.results" (%7) {} : (tensor<1x16x8x8xfloat32>) -> ()
// ----
// A number taken off, and one divided by
// RUN fuse_epilogue dce
(%0) = "pd_op.data" () {} : () -> (tensor<4x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<8x6xfloat32>)
(%2) = "pd_op.matmul" (%0, %1) {transpose_x: false, transpose_y: false} : (tensor<4x8xfloat32>, tensor<8x6xfloat32>) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.relu" (%2) {} : (tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%4) = "pd_op.full" () {shape: ints<1>, value: scalar<0.25>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%5) = "pd_op.subtract" (%3, %4) {} : (tensor<4x6xfloat32>, tensor<1xfloat32>) -> (tensor<4x6xfloat32>)
(%6) = "pd_op.divide" (%5, %4) {} : (tensor<4x6xfloat32>, tensor<1xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%6) {} : (tensor<4x6xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<8x6xfloat32>)
(%2) = "pd_op.matmul_epilogue" (%0, %1, _, _) {transpose_y: false, epilogue: "relu linear(4,-1)", out_dtype: dtype<undefined>} : (tensor<4x8xfloat32>, tensor<8x6xfloat32>, null, null) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4x6xfloat32>) -> ()
// ----
// A number from which the result is taken, and one that it divides, stay
// RUN fuse_epilogue dce
(%0) = "pd_op.data" () {} : () -> (tensor<4x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<8x6xfloat32>)
(%2) = "pd_op.matmul_epilogue" (%0, %1, _, _) {transpose_y: false, epilogue: "relu", out_dtype: dtype<undefined>} : (tensor<4x8xfloat32>, tensor<8x6xfloat32>, null, null) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<0.25>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%4) = "pd_op.subtract" (%3, %2) {} : (tensor<1xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%5) = "pd_op.divide" (%3, %4) {} : (tensor<1xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4x6xfloat32>) -> ()
// SAME
