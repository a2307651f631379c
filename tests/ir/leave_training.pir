// Dropout in inference is nothing
// RUN leave_training
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.full" () {shape: ints<1>, value: scalar<0.25>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%3, %4) = "pd_op.dropout" (%1, _, %2) {is_test: true, mode: "upscale_in_train", seed: 0:i32, fix_seed: false} : (tensor<4x4xfloat32>, null, tensor<1xfloat32>) -> (tensor<4x4xfloat32>, tensor<4x4xuint8>)
(%5) = "pd_op.tanh" (%3) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4x4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.tanh" (%1) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%2) {} : (tensor<4x4xfloat32>) -> ()
// ----
// Dropout that scales in inference
// RUN leave_training
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.full" () {shape: ints<1>, value: scalar<0.25>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%3, %4) = "pd_op.dropout" (%1, _, %2) {is_test: true, mode: "downscale_in_infer", seed: 0:i32, fix_seed: false} : (tensor<4x4xfloat32>, null, tensor<1xfloat32>) -> (tensor<4x4xfloat32>, tensor<4x4xuint8>)
(%5) = "pd_op.tanh" (%3) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4x4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.full" () {shape: ints<>, value: scalar<0.75>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<float32>)
(%3) = "pd_op.scale" (%1, %2) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<4x4xfloat32>, tensor<float32>) -> (tensor<4x4xfloat32>)
(%4) = "pd_op.tanh" (%3) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%4) {} : (tensor<4x4xfloat32>) -> ()
// ----
// Dropout in training
// RUN leave_training
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.full" () {shape: ints<1>, value: scalar<0.25>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%3, %4) = "pd_op.dropout" (%1, _, %2) {is_test: false, mode: "upscale_in_train", seed: 0:i32, fix_seed: false} : (tensor<4x4xfloat32>, null, tensor<1xfloat32>) -> (tensor<4x4xfloat32>, tensor<4x4xuint8>)
(%5) = "pd_op.tanh" (%3) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4x4xfloat32>) -> ()
// ----
// A mask that is used
// RUN leave_training
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4x4xfloat32>)
(%1) = "pd_op.tanh" (%0) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
(%2) = "pd_op.full" () {shape: ints<1>, value: scalar<0.25>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%3, %4) = "pd_op.dropout" (%1, _, %2) {is_test: true, mode: "upscale_in_train", seed: 0:i32, fix_seed: false} : (tensor<4x4xfloat32>, null, tensor<1xfloat32>) -> (tensor<4x4xfloat32>, tensor<4x4xuint8>)
(%5) = "pd_op.tanh" (%3) {} : (tensor<4x4xfloat32>) -> (tensor<4x4xfloat32>)
() = "builtin.results" (%5, %4) {} : (tensor<4x4xfloat32>, tensor<4x4xuint8>) -> ()
