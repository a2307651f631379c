// Equal operations are one
// RUN cse
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%3) = "pd_op.add" (%1, %2) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%3) = "pd_op.add" (%1, %1) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4xfloat32>) -> ()
// ----
// Two results keep memory of their own
// RUN cse
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%1, %2) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> ()
// ----
// So do two results that are views
// RUN cse
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.full_int_array" () {value: [2:i64, 2:i64]} : () -> (tensor<2xint64>)
(%2) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%3) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%4) = "pd_op.reshape" (%2, %1) {} : (tensor<4xfloat32>, tensor<2xint64>) -> (tensor<2x2xfloat32>)
() = "builtin.results" (%4, %3) {} : (tensor<2x2xfloat32>, tensor<4xfloat32>) -> ()
// ----
// Other attributes are another operation
// RUN cse
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tril" (%0) {diagonal: 0:i32} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.tril" (%0) {diagonal: 1:i32} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%3) = "pd_op.add" (%1, %2) {} : (tensor<4x4xfloat32>, tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4x4xfloat32>) -> ()
// ----
// Nothing is merged across the end of the forward part
// RUN cse
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.exp" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
(%3) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%4) = "pd_op.exp" (%3) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%4) {} : (tensor<4xfloat32>) -> ()
