// Operators on constants become constants
// RUN fold dce
(%0) = "pd_op.full" () {shape: ints<2>, value: scalar<2.0>, dtype: dtype<float32>} : () -> (tensor<2xfloat32>)
(%1) = "pd_op.full" () {shape: ints<2>, value: scalar<3.0>, dtype: dtype<float32>} : () -> (tensor<2xfloat32>)
(%2) = "pd_op.add" (%0, %1) {} : (tensor<2xfloat32>, tensor<2xfloat32>) -> (tensor<2xfloat32>)
(%3) = "pd_op.data" () {} : () -> (tensor<2xfloat32>)
(%4) = "pd_op.multiply" (%2, %3) {} : (tensor<2xfloat32>, tensor<2xfloat32>) -> (tensor<2xfloat32>)
() = "builtin.results" (%4) {} : (tensor<2xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.full" () {shape: ints<2>, value: scalar<5.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<2xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2xfloat32>)
(%2) = "pd_op.multiply" (%0, %1) {} : (tensor<2xfloat32>, tensor<2xfloat32>) -> (tensor<2xfloat32>)
() = "builtin.results" (%2) {} : (tensor<2xfloat32>) -> ()
// ----
// Values that are not uniform are a dense constant
// RUN fold dce
(%0) = "pd_op.full" () {shape: ints<2, 2>, value: scalar<1.0>, dtype: dtype<float32>} : () -> (tensor<2x2xfloat32>)
(%1) = "pd_op.tril" (%0) {diagonal: 0:i32} : (tensor<2x2xfloat32>) -> (tensor<2x2xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<2x2xfloat32>)
(%3) = "pd_op.multiply" (%1, %2) {} : (tensor<2x2xfloat32>, tensor<2x2xfloat32>) -> (tensor<2x2xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x2xfloat32>) -> ()
// EXPECT
(%1) = "builtin.constant" () {value: dense<tensor<2x2xfloat32>: [1.0, 0.0, 1.0, 1.0]>} : () -> (tensor<2x2xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<2x2xfloat32>)
(%3) = "pd_op.multiply" (%1, %2) {} : (tensor<2x2xfloat32>, tensor<2x2xfloat32>) -> (tensor<2x2xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x2xfloat32>) -> ()
// ----
// A constant that is handed out is made anew on every run
// RUN fold dce
// SAME
(%0) = "pd_op.full" () {shape: ints<2, 2>, value: scalar<1.0>, dtype: dtype<float32>} : () -> (tensor<2x2xfloat32>)
(%1) = "pd_op.tril" (%0) {diagonal: 0:i32} : (tensor<2x2xfloat32>) -> (tensor<2x2xfloat32>)
() = "builtin.results" (%1) {} : (tensor<2x2xfloat32>) -> ()
// ----
// Large constants are not stored in the program
// RUN fold dce
// SAME
(%0) = "pd_op.full" () {shape: ints<200, 200>, value: scalar<1.0>, dtype: dtype<float32>} : () -> (tensor<200x200xfloat32>)
(%1) = "pd_op.tril" (%0) {diagonal: 0:i32} : (tensor<200x200xfloat32>) -> (tensor<200x200xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<200x200xfloat32>)
(%3) = "pd_op.multiply" (%1, %2) {} : (tensor<200x200xfloat32>, tensor<200x200xfloat32>) -> (tensor<200x200xfloat32>)
() = "builtin.results" (%3) {} : (tensor<200x200xfloat32>) -> ()
// ----
// A small constant that is read as a tensor is made once
// RUN hoist_constants dce
(%0) = "pd_op.full" () {shape: ints<>, value: scalar<2.0>, dtype: dtype<float32>} : () -> (tensor<float32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.add" (%1, %0) {} : (tensor<4xfloat32>, tensor<float32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
// EXPECT
(%0) = "builtin.constant" () {value: dense<tensor<float32>: [2.0]>} : () -> (tensor<float32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.add" (%1, %0) {} : (tensor<4xfloat32>, tensor<float32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
// ----
// One that is handed out is not
// RUN hoist_constants dce
// SAME
(%0) = "pd_op.full" () {shape: ints<>, value: scalar<2.0>, dtype: dtype<float32>} : () -> (tensor<float32>)
(%1) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.add" (%1, %0) {} : (tensor<4xfloat32>, tensor<float32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%2, %0) {} : (tensor<4xfloat32>, tensor<float32>) -> ()
