// Two convolutions: input and weights are rounded, what is between them is bfloat16, the residual too
// RUN bfloat16_conv bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x3x3xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%3) = "pd_op.conv2d_epilogue" (%0, %1, %2, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "relu", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x3x3xfloat32>, tensor<16xfloat32>, null) -> (tensor<1x16x8x8xfloat32>)
(%4) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%5) = "pd_op.conv2d_epilogue" (%3, %4, _, %3) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "add", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>, null, tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%5) {} : (tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x3x3xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%3) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xbfloat16>)
(%4) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<16x16x3x3xfloat32>) -> (tensor<16x16x3x3xbfloat16>)
(%5) = "pd_op.conv2d_epilogue" (%3, %4, %2, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "relu", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x3x3xbfloat16>, tensor<16xfloat32>, null) -> (tensor<1x16x8x8xbfloat16>)
(%6) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%7) = "pd_op.cast" (%6) {dtype: dtype<bfloat16>} : (tensor<16x16x1x1xfloat32>) -> (tensor<16x16x1x1xbfloat16>)
(%8) = "pd_op.conv2d_epilogue" (%5, %7, _, %5) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "add", out_dtype: dtype<float32>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x1x1xbfloat16>, null, tensor<1x16x8x8xbfloat16>) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%8) {} : (tensor<1x16x8x8xfloat32>) -> ()
// ----
// A product, whose input is rounded before it is moved
// RUN bfloat16_matmul bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x4x8xfloat32>)
(%1) = "pd_op.transpose" (%0) {perm: [0:i32, 2:i32, 1:i32, 3:i32]} : (tensor<2x3x4x8xfloat32>) -> (tensor<2x4x3x8xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<8x6xfloat32>)
(%3) = "pd_op.matmul_epilogue" (%1, %2, _, _) {transpose_y: false, epilogue: "gelu", out_dtype: dtype<undefined>} : (tensor<2x4x3x8xfloat32>, tensor<8x6xfloat32>, null, null) -> (tensor<2x4x3x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x4x3x6xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x4x8xfloat32>)
(%1) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<2x3x4x8xfloat32>) -> (tensor<2x3x4x8xbfloat16>)
(%2) = "pd_op.transpose" (%1) {perm: [0:i32, 2:i32, 1:i32, 3:i32]} : (tensor<2x3x4x8xbfloat16>) -> (tensor<2x4x3x8xbfloat16>)
(%3) = "builtin.parameter" () {} : () -> (tensor<8x6xfloat32>)
(%4) = "pd_op.cast" (%3) {dtype: dtype<bfloat16>} : (tensor<8x6xfloat32>) -> (tensor<8x6xbfloat16>)
(%5) = "pd_op.matmul_epilogue" (%2, %4, _, _) {transpose_y: false, epilogue: "gelu", out_dtype: dtype<float32>} : (tensor<2x4x3x8xbfloat16>, tensor<8x6xbfloat16>, null, null) -> (tensor<2x4x3x6xfloat32>)
() = "builtin.results" (%5) {} : (tensor<2x4x3x6xfloat32>) -> ()
// ----
// A pool, a sum and a list between convolutions follow
// RUN bfloat16_conv bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x3x3xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%3) = "pd_op.conv2d_epilogue" (%0, %1, %2, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x3x3xfloat32>, tensor<16xfloat32>, null) -> (tensor<1x16x8x8xfloat32>)
(%4) = "pd_op.full_int_array" () {value: [2:i64, 2:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<2xint64>)
(%5) = "pd_op.pool2d" (%3, %4) {strides: [2:i32, 2:i32], paddings: [0:i32, 0:i32], ceil_mode: false, exclusive: true, data_format: "NCHW", pooling_type: "max", global_pooling: false, adaptive: false, padding_algorithm: "EXPLICIT"} : (tensor<1x16x8x8xfloat32>, tensor<2xint64>) -> (tensor<1x16x4x4xfloat32>)
(%6) = "pd_op.add" (%5, %5) {} : (tensor<1x16x4x4xfloat32>, tensor<1x16x4x4xfloat32>) -> (tensor<1x16x4x4xfloat32>)
(%7) = "builtin.combine" (%5, %6) {} : (tensor<1x16x4x4xfloat32>, tensor<1x16x4x4xfloat32>) -> (vec<tensor<1x16x4x4xfloat32>, tensor<1x16x4x4xfloat32>>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<0>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%9) = "pd_op.concat" (%7, %8) {} : (vec<tensor<1x16x4x4xfloat32>, tensor<1x16x4x4xfloat32>>, tensor<1xint32>) -> (tensor<2x16x4x4xfloat32>)
(%10) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%11) = "pd_op.conv2d_epilogue" (%9, %10, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<2x16x4x4xfloat32>, tensor<16x16x1x1xfloat32>, null, null) -> (tensor<2x16x4x4xfloat32>)
() = "builtin.results" (%11) {} : (tensor<2x16x4x4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x3x3xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<16xfloat32>)
(%3) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xbfloat16>)
(%4) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<16x16x3x3xfloat32>) -> (tensor<16x16x3x3xbfloat16>)
(%5) = "pd_op.conv2d_epilogue" (%3, %4, %2, _) {strides: [1:i32, 1:i32], paddings: [1:i32, 1:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x3x3xbfloat16>, tensor<16xfloat32>, null) -> (tensor<1x16x8x8xbfloat16>)
(%6) = "pd_op.full_int_array" () {value: [2:i64, 2:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<2xint64>)
(%7) = "pd_op.pool2d" (%5, %6) {strides: [2:i32, 2:i32], paddings: [0:i32, 0:i32], ceil_mode: false, exclusive: true, data_format: "NCHW", pooling_type: "max", global_pooling: false, adaptive: false, padding_algorithm: "EXPLICIT"} : (tensor<1x16x8x8xbfloat16>, tensor<2xint64>) -> (tensor<1x16x4x4xbfloat16>)
(%8) = "pd_op.add" (%7, %7) {} : (tensor<1x16x4x4xbfloat16>, tensor<1x16x4x4xbfloat16>) -> (tensor<1x16x4x4xbfloat16>)
(%9) = "pd_op.full" () {shape: ints<1>, value: scalar<0>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%10) = "builtin.combine" (%7, %8) {} : (tensor<1x16x4x4xbfloat16>, tensor<1x16x4x4xbfloat16>) -> (vec<tensor<1x16x4x4xbfloat16>, tensor<1x16x4x4xbfloat16>>)
(%11) = "pd_op.concat" (%10, %9) {} : (vec<tensor<1x16x4x4xbfloat16>, tensor<1x16x4x4xbfloat16>>, tensor<1xint32>) -> (tensor<2x16x4x4xbfloat16>)
(%12) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%13) = "pd_op.cast" (%12) {dtype: dtype<bfloat16>} : (tensor<16x16x1x1xfloat32>) -> (tensor<16x16x1x1xbfloat16>)
(%14) = "pd_op.conv2d_epilogue" (%11, %13, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<float32>} : (tensor<2x16x4x4xbfloat16>, tensor<16x16x1x1xbfloat16>, null, null) -> (tensor<2x16x4x4xfloat32>)
() = "builtin.results" (%14) {} : (tensor<2x16x4x4xfloat32>) -> ()
// ----
// Norms and softmax stay in float32, and so does what they read
// RUN bfloat16_matmul bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<4x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<8x8xfloat32>)
(%2) = "pd_op.matmul_epilogue" (%0, %1, _, _) {transpose_y: false, epilogue: "", out_dtype: dtype<undefined>} : (tensor<4x8xfloat32>, tensor<8x8xfloat32>, null, null) -> (tensor<4x8xfloat32>)
(%3) = "pd_op.softmax" (%2) {axis: -1:i32} : (tensor<4x8xfloat32>) -> (tensor<4x8xfloat32>)
(%4) = "pd_op.matmul_epilogue" (%3, %1, _, _) {transpose_y: true, epilogue: "", out_dtype: dtype<undefined>} : (tensor<4x8xfloat32>, tensor<8x8xfloat32>, null, null) -> (tensor<4x8xfloat32>)
() = "builtin.results" (%4) {} : (tensor<4x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<8x8xfloat32>)
(%2) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<4x8xfloat32>) -> (tensor<4x8xbfloat16>)
(%3) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<8x8xfloat32>) -> (tensor<8x8xbfloat16>)
(%4) = "pd_op.matmul_epilogue" (%2, %3, _, _) {transpose_y: false, epilogue: "", out_dtype: dtype<float32>} : (tensor<4x8xbfloat16>, tensor<8x8xbfloat16>, null, null) -> (tensor<4x8xfloat32>)
(%5) = "pd_op.softmax" (%4) {axis: -1:i32} : (tensor<4x8xfloat32>) -> (tensor<4x8xfloat32>)
(%6) = "pd_op.cast" (%5) {dtype: dtype<bfloat16>} : (tensor<4x8xfloat32>) -> (tensor<4x8xbfloat16>)
(%7) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<8x8xfloat32>) -> (tensor<8x8xbfloat16>)
(%8) = "pd_op.matmul_epilogue" (%6, %7, _, _) {transpose_y: true, epilogue: "", out_dtype: dtype<float32>} : (tensor<4x8xbfloat16>, tensor<8x8xbfloat16>, null, null) -> (tensor<4x8xfloat32>)
() = "builtin.results" (%8) {} : (tensor<4x8xfloat32>) -> ()
// ----
// A value that somebody reads in float32 is stored in float32
// RUN bfloat16_conv bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%2) = "pd_op.conv2d_epilogue" (%0, %1, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>, null, null) -> (tensor<1x16x8x8xfloat32>)
(%3) = "pd_op.conv2d_epilogue" (%2, %1, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>, null, null) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%2, %3) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%2) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xbfloat16>)
(%3) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<16x16x1x1xfloat32>) -> (tensor<16x16x1x1xbfloat16>)
(%4) = "pd_op.conv2d_epilogue" (%2, %3, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<float32>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x1x1xbfloat16>, null, null) -> (tensor<1x16x8x8xfloat32>)
(%5) = "pd_op.cast" (%4) {dtype: dtype<bfloat16>} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xbfloat16>)
(%6) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<16x16x1x1xfloat32>) -> (tensor<16x16x1x1xbfloat16>)
(%7) = "pd_op.conv2d_epilogue" (%5, %6, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<float32>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x1x1xbfloat16>, null, null) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%4, %7) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x8x8xfloat32>) -> ()
// ----
// Widening and rounding again is nothing; rounding and widening again is not
// RUN bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<4xbfloat16>)
(%1) = "pd_op.cast" (%0) {dtype: dtype<float32>} : (tensor<4xbfloat16>) -> (tensor<4xfloat32>)
(%2) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<4xfloat32>) -> (tensor<4xbfloat16>)
(%3) = "pd_op.exp" (%2) {} : (tensor<4xbfloat16>) -> (tensor<4xbfloat16>)
(%4) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%5) = "pd_op.cast" (%4) {dtype: dtype<bfloat16>} : (tensor<4xfloat32>) -> (tensor<4xbfloat16>)
(%6) = "pd_op.cast" (%5) {dtype: dtype<float32>} : (tensor<4xbfloat16>) -> (tensor<4xfloat32>)
() = "builtin.results" (%3, %6) {} : (tensor<4xbfloat16>, tensor<4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4xbfloat16>)
(%1) = "pd_op.exp" (%0) {} : (tensor<4xbfloat16>) -> (tensor<4xbfloat16>)
(%2) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%3) = "pd_op.cast" (%2) {dtype: dtype<bfloat16>} : (tensor<4xfloat32>) -> (tensor<4xbfloat16>)
(%4) = "pd_op.cast" (%3) {dtype: dtype<float32>} : (tensor<4xbfloat16>) -> (tensor<4xfloat32>)
() = "builtin.results" (%1, %4) {} : (tensor<4xbfloat16>, tensor<4xfloat32>) -> ()
// ----
// Other dtypes and operators without an epilogue stay as they are
// RUN bfloat16_conv bfloat16_matmul bfloat16
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x8xfloat64>)
(%1) = "builtin.parameter" () {} : () -> (tensor<8x8xfloat64>)
(%2) = "pd_op.matmul_epilogue" (%0, %1, _, _) {transpose_y: false, epilogue: "", out_dtype: dtype<undefined>} : (tensor<4x8xfloat64>, tensor<8x8xfloat64>, null, null) -> (tensor<4x8xfloat64>)
(%3) = "pd_op.data" () {} : () -> (tensor<4x8xfloat32>)
(%4) = "pd_op.data" () {} : () -> (tensor<8x4xfloat32>)
(%5) = "pd_op.matmul" (%3, %4) {transpose_x: false, transpose_y: false} : (tensor<4x8xfloat32>, tensor<8x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%2, %5) {} : (tensor<4x8xfloat64>, tensor<4x4xfloat32>) -> ()
// ----
// A constant is not rounded
// RUN bfloat16_conv bfloat16
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%2) = "pd_op.conv2d_epilogue" (%0, %1, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>, null, null) -> (tensor<1x16x8x8xfloat32>)
(%3) = "builtin.parameter" () {} : () -> (tensor<1x16x1x1xfloat32>)
(%4) = "pd_op.multiply" (%2, %3) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x1x1xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%5) = "pd_op.conv2d_epilogue" (%4, %1, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<undefined>} : (tensor<1x16x8x8xfloat32>, tensor<16x16x1x1xfloat32>, null, null) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%5) {} : (tensor<1x16x8x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<1x16x8x8xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<16x16x1x1xfloat32>)
(%2) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xbfloat16>)
(%3) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<16x16x1x1xfloat32>) -> (tensor<16x16x1x1xbfloat16>)
(%4) = "pd_op.conv2d_epilogue" (%2, %3, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<float32>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x1x1xbfloat16>, null, null) -> (tensor<1x16x8x8xfloat32>)
(%5) = "builtin.parameter" () {} : () -> (tensor<1x16x1x1xfloat32>)
(%6) = "pd_op.multiply" (%4, %5) {} : (tensor<1x16x8x8xfloat32>, tensor<1x16x1x1xfloat32>) -> (tensor<1x16x8x8xfloat32>)
(%7) = "pd_op.cast" (%6) {dtype: dtype<bfloat16>} : (tensor<1x16x8x8xfloat32>) -> (tensor<1x16x8x8xbfloat16>)
(%8) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<16x16x1x1xfloat32>) -> (tensor<16x16x1x1xbfloat16>)
(%9) = "pd_op.conv2d_epilogue" (%7, %8, _, _) {strides: [1:i32, 1:i32], paddings: [0:i32, 0:i32], padding_algorithm: "EXPLICIT", dilations: [1:i32, 1:i32], groups: 1:i32, data_format: "NCHW", epilogue: "", out_dtype: dtype<float32>} : (tensor<1x16x8x8xbfloat16>, tensor<16x16x1x1xbfloat16>, null, null) -> (tensor<1x16x8x8xfloat32>)
() = "builtin.results" (%9) {} : (tensor<1x16x8x8xfloat32>) -> ()
