// Composed operators give way to what they are made of
// RUN decompose
// NOT pd_op.tan"
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tan" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%1) {} : (tensor<4xfloat32>) -> ()
// ----
// Primitive operators stay
// RUN decompose
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%1) {} : (tensor<4xfloat32>) -> ()
