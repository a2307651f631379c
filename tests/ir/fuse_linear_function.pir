// The function of a linear map is computed in its product
// RUN fuse_linear_function
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x5xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<5xfloat32>)
(%3) = "pd_op.linear" (%0, %1, %2) {} : (tensor<2x3xfloat32>, tensor<3x5xfloat32>, tensor<5xfloat32>) -> (tensor<2x5xfloat32>)
(%4) = "pd_op.relu" (%3) {} : (tensor<2x5xfloat32>) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%4) {} : (tensor<2x5xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x5xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<5xfloat32>)
(%3) = "pd_op.matmul_epilogue" (%0, %1, %2, _) {transpose_y: false, epilogue: "relu", out_dtype: dtype<undefined>} : (tensor<2x3xfloat32>, tensor<3x5xfloat32>, tensor<5xfloat32>, null) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x5xfloat32>) -> ()
// ----
// The map itself is used as well
// RUN fuse_linear_function
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "builtin.parameter" () {} : () -> (tensor<3x5xfloat32>)
(%2) = "builtin.parameter" () {} : () -> (tensor<5xfloat32>)
(%3) = "pd_op.linear" (%0, %1, %2) {} : (tensor<2x3xfloat32>, tensor<3x5xfloat32>, tensor<5xfloat32>) -> (tensor<2x5xfloat32>)
(%4) = "pd_op.relu" (%3) {} : (tensor<2x5xfloat32>) -> (tensor<2x5xfloat32>)
() = "builtin.results" (%4, %3) {} : (tensor<2x5xfloat32>, tensor<2x5xfloat32>) -> ()
