// A weight times a factor is known
// RUN fold_weights dce
(%0) = "pd_op.full" () {shape: ints<2, 4>, value: scalar<0.5>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<2x4xfloat32>)
(%1) = "pd_op.full" () {shape: ints<4>, value: scalar<2>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.multiply" (%0, %1) {} : (tensor<2x4xfloat32>, tensor<4xfloat32>) -> (tensor<2x4xfloat32>)
(%3) = "pd_op.data" () {} : () -> (tensor<2x2xfloat32>)
(%4) = "pd_op.matmul" (%3, %2) {transpose_x: false, transpose_y: false} : (tensor<2x2xfloat32>, tensor<2x4xfloat32>) -> (tensor<2x4xfloat32>)
() = "builtin.results" (%4) {} : (tensor<2x4xfloat32>) -> ()
// EXPECT
(%0) = "builtin.constant" () {value: dense<tensor<2x4xfloat32>: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]>} : () -> (tensor<2x4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x2xfloat32>)
(%2) = "pd_op.matmul" (%1, %0) {transpose_x: false, transpose_y: false} : (tensor<2x2xfloat32>, tensor<2x4xfloat32>) -> (tensor<2x4xfloat32>)
() = "builtin.results" (%2) {} : (tensor<2x4xfloat32>) -> ()
// ----
// A constant that would grow stays an operation
// RUN fold_weights
// SAME
(%0) = "pd_op.full" () {shape: ints<4>, value: scalar<2>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.full_int_array" () {value: [100000:i64, 4:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<2xint64>)
(%2) = "pd_op.expand" (%0, %1) {} : (tensor<4xfloat32>, tensor<2xint64>) -> (tensor<100000x4xfloat32>)
(%3) = "pd_op.data" () {} : () -> (tensor<4x100000xfloat32>)
(%4) = "pd_op.matmul" (%3, %2) {transpose_x: false, transpose_y: false} : (tensor<4x100000xfloat32>, tensor<100000x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%4) {} : (tensor<4x4xfloat32>) -> ()
// ----
// Something that is not known
// RUN fold_weights
// SAME
(%0) = "pd_op.full" () {shape: ints<4>, value: scalar<0.5>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.multiply" (%1, %0) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
