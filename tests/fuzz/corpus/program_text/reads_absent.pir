(%0) = "pd_op.data" () {} : () -> (null)
(%1) = "pd_op.transpose" (%0) {perm: [1:i32, 0:i32]} : (null) -> (tensor<2x2xfloat32>)
() = "builtin.results" (%1) {} : (tensor<2x2xfloat32>) -> ()
