// Product and bias are one operator
// RUN fuse_linear
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x5xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<5xfloat32>)
(%3) = "pd_op.matmul" (%0, %1) {transpose_x: false, transpose_y: false} : (tensor<2x3xfloat32>, tensor<3x5xfloat32>) -> (tensor<2x5xfloat32>)
(%4) = "pd_op.add" (%2, %3) {} : (tensor<5xfloat32>, tensor<2x5xfloat32>) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%4) {} : (tensor<2x5xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x5xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<5xfloat32>)
(%4) = "pd_op.linear" (%0, %1, %2) {} : (tensor<2x3xfloat32>, tensor<3x5xfloat32>, tensor<5xfloat32>) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%4) {} : (tensor<2x5xfloat32>) -> ()
// ----
// The product is used elsewhere
// RUN fuse_linear
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x5xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<5xfloat32>)
(%3) = "pd_op.matmul" (%0, %1) {transpose_x: false, transpose_y: false} : (tensor<2x3xfloat32>, tensor<3x5xfloat32>) -> (tensor<2x5xfloat32>)
(%4) = "pd_op.add" (%3, %2) {} : (tensor<2x5xfloat32>, tensor<5xfloat32>) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%4, %3) {} : (tensor<2x5xfloat32>, tensor<2x5xfloat32>) -> ()
// ----
// A weight stored transposed, or an addend that is no bias
// RUN fuse_linear
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<5x3xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<2x5xfloat32>)
(%3) = "pd_op.matmul" (%0, %1) {transpose_x: false, transpose_y: true} : (tensor<2x3xfloat32>, tensor<5x3xfloat32>) -> (tensor<2x5xfloat32>)
(%4) = "pd_op.add" (%3, %2) {} : (tensor<2x5xfloat32>, tensor<2x5xfloat32>) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%4) {} : (tensor<2x5xfloat32>) -> ()
