// A result type that the shape rule does not give
// RUN verify
// ERROR pd_op.tanh: result 0 has type tensor<5xfloat32>; its shape rule gives tensor<4xfloat32>.
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<5xfloat32>)
// ----
// Operands that the shape rule refuses
// RUN verify
// ERROR matmul: x has shape [2, 3] and y has shape [4, 5]
(%0) = "pd_op.data" () {} : () -> (tensor<2x3xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4x5xfloat32>)
(%2) = "pd_op.matmul" (%0, %1) {} : (tensor<2x3xfloat32>, tensor<4x5xfloat32>) -> (tensor<2x5xfloat32>)
// ----
// Too few operands
// RUN verify
// ERROR pd_op.add: operand y is missing in the program.
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.add" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
// ----
// Too many operands
// RUN verify
// ERROR pd_op.tanh: the program gives 2 operands; the operator takes 1.
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.tanh" (%0, %0) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
// ----
// Too many results
// RUN verify
// ERROR pd_op.tanh: the program gives 2 results; the operator has 1.
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1, %2) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>, tensor<4xfloat32>)
// ----
// A missing attribute without a default
// RUN verify
// ERROR pd_op.cast: attribute dtype is missing in the program.
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.cast" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
// ----
// An attribute of another kind
// RUN verify
// ERROR program: an attribute has kind
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.cast" (%0) {dtype: "float32"} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
// ----
// A value without a definition
// RUN verify
// ERROR program text, line 5: value %7 is not defined.
(%1) = "pd_op.tanh" (%7) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
// ----
// A value of a region is not visible outside of it
// RUN verify
// ERROR pd_op.exp: an operand is used before its definition.
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.if" (%0) {} : (tensor<bool>) -> (tensor<4xfloat32>) ({ ^()
  (%3) = "pd_op.tanh" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  () = "cf.yield" (%3) {} : (tensor<4xfloat32>) -> ()
}, { ^()
  () = "cf.yield" (%1) {} : (tensor<4xfloat32>) -> ()
})
(%4) = "pd_op.exp" (%3) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
// ----
// A region that yields another number of values than the operation has
// RUN verify
// ERROR pd_op.if: a branch yields 0 values; the operation has 1 results.
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.if" (%0) {} : (tensor<bool>) -> (tensor<4xfloat32>) ({ ^()
  () = "cf.yield" () {} : () -> ()
}, { ^()
  () = "cf.yield" (%1) {} : (tensor<4xfloat32>) -> ()
})
// ----
// A branch without an end
// RUN verify
// ERROR pd_op.if: a region does not end in cf.yield.
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
() = "pd_op.if" (%0) {} : (tensor<bool>) -> () ({ ^()
}, { ^()
  () = "cf.yield" () {} : () -> ()
})
// ----
// An if with one region
// RUN verify
// ERROR pd_op.if: 1 regions stand where 2 are expected.
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
() = "pd_op.if" (%0) {} : (tensor<bool>) -> () ({ ^()
  () = "cf.yield" () {} : () -> ()
})
// ----
// A condition that is no bool
// RUN verify
// ERROR pd_op.if: the condition has type tensor<float32>; it must be one bool.
(%0) = "pd_op.data" () {} : () -> (tensor<float32>)
() = "pd_op.if" (%0) {} : (tensor<float32>) -> () ({ ^()
  () = "cf.yield" () {} : () -> ()
}, { ^()
  () = "cf.yield" () {} : () -> ()
})
// ----
// A loop whose body takes other values than it is given
// RUN verify
// ERROR pd_op.while: the body takes 0 values; the operation has 1 results.
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.while" (%0, %1) {} : (tensor<bool>, tensor<4xfloat32>) -> (tensor<4xfloat32>) ({ ^()
  () = "cf.yield" (%0, %1) {} : (tensor<bool>, tensor<4xfloat32>) -> ()
})
// ----
// A program that is right
// RUN verify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<bool>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.while" (%0, %1) {} : (tensor<bool>, tensor<4xfloat32>) -> (tensor<4xfloat32>) ({ ^(%3: tensor<4xfloat32>)
  () = "cf.yield" (%0, %3) {} : (tensor<bool>, tensor<4xfloat32>) -> ()
})
