// An operation that nothing uses goes, with what only it used
// RUN dce
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.exp" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%0) {} : (tensor<4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
() = "builtin.results" (%0) {} : (tensor<4xfloat32>) -> ()
// ----
// Random draws stay: they move the generator
// RUN dce cse
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.bernoulli" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.bernoulli" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%0) {} : (tensor<4xfloat32>) -> ()
// ----
// Operations inside of regions go too
// RUN dce
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.if" (%0) {} : (tensor<bool>) -> (tensor<4xfloat32>) ({ ^()
  (%3) = "pd_op.tanh" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  (%4) = "pd_op.exp" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  () = "cf.yield" (%3) {} : (tensor<4xfloat32>) -> ()
}, { ^()
  () = "cf.yield" (%1) {} : (tensor<4xfloat32>) -> ()
})
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
// NOT pd_op.exp
