// silu times a value
// RUN fuse_swiglu dce
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%2) = "pd_op.silu" (%0) {} : (tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.multiply" (%2, %1) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4x6xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%2) = "pd_op.swiglu" (%0, %1) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4x6xfloat32>) -> ()
// ----
// a value times swish
// RUN fuse_swiglu dce
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%2) = "pd_op.swish" (%0) {} : (tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.multiply" (%1, %2) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4x6xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%2) = "pd_op.swiglu" (%0, %1) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4x6xfloat32>) -> ()
// ----
// another activation
// RUN fuse_swiglu dce
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%2) = "pd_op.gelu" (%0) {approximate: false} : (tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.multiply" (%2, %1) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4x6xfloat32>) -> ()
// ----
// the gate is a result too
// RUN fuse_swiglu dce
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%2) = "pd_op.silu" (%0) {} : (tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.multiply" (%2, %1) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%3, %2) {} : (tensor<4x6xfloat32>, tensor<4x6xfloat32>) -> ()
// ----
// a value that is broadcast
// RUN fuse_swiglu dce
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<6xfloat32>)
(%2) = "pd_op.silu" (%0) {} : (tensor<4x6xfloat32>) -> (tensor<4x6xfloat32>)
(%3) = "pd_op.multiply" (%2, %1) {} : (tensor<4x6xfloat32>, tensor<6xfloat32>) -> (tensor<4x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4x6xfloat32>) -> ()
