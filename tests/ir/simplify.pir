// x * 1 and x + 0 are x
// RUN simplify
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.full" () {shape: ints<>, value: scalar<1.0>, dtype: dtype<float32>} : () -> (tensor<float32>)
(%2) = "pd_op.full" () {shape: ints<>, value: scalar<0.0>, dtype: dtype<float32>} : () -> (tensor<float32>)
(%3) = "pd_op.multiply" (%1, %0) {} : (tensor<float32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%4) = "pd_op.add" (%3, %2) {} : (tensor<4xfloat32>, tensor<float32>) -> (tensor<4xfloat32>)
(%5) = "pd_op.tanh" (%4) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%5) = "pd_op.tanh" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4xfloat32>) -> ()
// ----
// 0 - x is not x
// RUN simplify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%2) = "pd_op.full" () {shape: ints<>, value: scalar<0.0>, dtype: dtype<float32>} : () -> (tensor<float32>)
(%4) = "pd_op.subtract" (%2, %0) {} : (tensor<float32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%5) = "pd_op.tanh" (%4) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4xfloat32>) -> ()
// ----
// A result that would become its own input keeps memory of its own
// RUN simplify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.full" () {shape: ints<>, value: scalar<1.0>, dtype: dtype<float32>} : () -> (tensor<float32>)
(%3) = "pd_op.multiply" (%0, %1) {} : (tensor<4xfloat32>, tensor<float32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4xfloat32>) -> ()
// ----
// Multiplying by one that widens the type or the shape stays
// RUN simplify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.full" () {shape: ints<2, 4>, value: scalar<1.0>, dtype: dtype<float32>} : () -> (tensor<2x4xfloat32>)
(%3) = "pd_op.multiply" (%0, %1) {} : (tensor<4xfloat32>, tensor<2x4xfloat32>) -> (tensor<2x4xfloat32>)
(%5) = "pd_op.tanh" (%3) {} : (tensor<2x4xfloat32>) -> (tensor<2x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<2x4xfloat32>) -> ()
// ----
// Two transposes that undo each other, also through a third
// RUN simplify
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x4xfloat32>)
(%1) = "pd_op.transpose" (%0) {perm: [1:i32, 2:i32, 0:i32]} : (tensor<2x3x4xfloat32>) -> (tensor<3x4x2xfloat32>)
(%2) = "pd_op.transpose" (%1) {perm: [1:i32, 2:i32, 0:i32]} : (tensor<3x4x2xfloat32>) -> (tensor<4x2x3xfloat32>)
(%3) = "pd_op.transpose" (%2) {perm: [1:i32, 2:i32, 0:i32]} : (tensor<4x2x3xfloat32>) -> (tensor<2x3x4xfloat32>)
(%5) = "pd_op.tanh" (%3) {} : (tensor<2x3x4xfloat32>) -> (tensor<2x3x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<2x3x4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x4xfloat32>)
(%5) = "pd_op.tanh" (%0) {} : (tensor<2x3x4xfloat32>) -> (tensor<2x3x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<2x3x4xfloat32>) -> ()
// ----
// A transpose of the last axes goes into the product
// RUN simplify
(%0) = "pd_op.data" () {} : () -> (tensor<5x3x4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<5x3x2xfloat32>)
(%2) = "pd_op.transpose" (%0) {perm: [0:i32, 2:i32, 1:i32]} : (tensor<5x3x4xfloat32>) -> (tensor<5x4x3xfloat32>)
(%3) = "pd_op.matmul" (%2, %1) {transpose_x: false, transpose_y: false} : (tensor<5x4x3xfloat32>, tensor<5x3x2xfloat32>) -> (tensor<5x4x2xfloat32>)
() = "builtin.results" (%3) {} : (tensor<5x4x2xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<5x3x4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<5x3x2xfloat32>)
(%3) = "pd_op.matmul" (%0, %1) {transpose_x: true, transpose_y: false} : (tensor<5x3x4xfloat32>, tensor<5x3x2xfloat32>) -> (tensor<5x4x2xfloat32>)
() = "builtin.results" (%3) {} : (tensor<5x4x2xfloat32>) -> ()
// ----
// Another transpose does not
// RUN simplify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<3x5x4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<5x3x2xfloat32>)
(%2) = "pd_op.transpose" (%0) {perm: [1:i32, 2:i32, 0:i32]} : (tensor<3x5x4xfloat32>) -> (tensor<5x4x3xfloat32>)
(%3) = "pd_op.matmul" (%2, %1) {transpose_x: false, transpose_y: false} : (tensor<5x4x3xfloat32>, tensor<5x3x2xfloat32>) -> (tensor<5x4x2xfloat32>)
() = "builtin.results" (%3) {} : (tensor<5x4x2xfloat32>) -> ()
// ----
// Extents may be symbols
// RUN simplify
(%0) = "pd_op.data" () {} : () -> (tensor<s0x4xfloat32>)
(%1) = "pd_op.full_int_array" () {value: [-1:i64]} : () -> (tensor<1xint64>)
(%2) = "pd_op.full_int_array" () {value: [-1:i64, 4:i64]} : () -> (tensor<2xint64>)
(%3) = "pd_op.transpose" (%0) {perm: [1:i32, 0:i32]} : (tensor<s0x4xfloat32>) -> (tensor<4xs0xfloat32>)
(%4) = "pd_op.transpose" (%3) {perm: [1:i32, 0:i32]} : (tensor<4xs0xfloat32>) -> (tensor<s0x4xfloat32>)
(%5) = "pd_op.tanh" (%4) {} : (tensor<s0x4xfloat32>) -> (tensor<s0x4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<s0x4xfloat32>) -> ()
// NOT pd_op.transpose
// ----
// Of two reshapes the last one counts, with known extents
// RUN simplify
(%0) = "pd_op.data" () {} : () -> (tensor<3x4xfloat32>)
(%1) = "pd_op.full_int_array" () {value: [-1:i64]} : () -> (tensor<1xint64>)
(%2) = "pd_op.full_int_array" () {value: [-1:i64, 2:i64]} : () -> (tensor<2xint64>)
(%3) = "pd_op.reshape" (%0, %1) {} : (tensor<3x4xfloat32>, tensor<1xint64>) -> (tensor<12xfloat32>)
(%4) = "pd_op.reshape" (%3, %2) {} : (tensor<12xfloat32>, tensor<2xint64>) -> (tensor<6x2xfloat32>)
() = "builtin.results" (%4) {} : (tensor<6x2xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<3x4xfloat32>)
(%2) = "pd_op.full_int_array" () {value: [-1:i64, 2:i64], dtype: dtype<int64>, place: place<1, 0>} : () -> (tensor<2xint64>)
(%4) = "pd_op.reshape" (%0, %2) {} : (tensor<3x4xfloat32>, tensor<2xint64>) -> (tensor<6x2xfloat32>)
() = "builtin.results" (%4) {} : (tensor<6x2xfloat32>) -> ()
// ----
// A zero in the last reshape copies an extent of the first, so both stay
// RUN simplify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<3x4xfloat32>)
(%1) = "pd_op.full_int_array" () {value: [6:i64, 2:i64]} : () -> (tensor<2xint64>)
(%2) = "pd_op.full_int_array" () {value: [0:i64, 2:i64, 1:i64]} : () -> (tensor<3xint64>)
(%3) = "pd_op.reshape" (%0, %1) {} : (tensor<3x4xfloat32>, tensor<2xint64>) -> (tensor<6x2xfloat32>)
(%4) = "pd_op.reshape" (%3, %2) {} : (tensor<6x2xfloat32>, tensor<3xint64>) -> (tensor<6x2x1xfloat32>)
() = "builtin.results" (%4) {} : (tensor<6x2x1xfloat32>) -> ()
// ----
// A cast to a wider type and back
// RUN simplify
(%0) = "pd_op.data" () {} : () -> (tensor<4xbfloat16>)
(%1) = "pd_op.cast" (%0) {dtype: dtype<float32>} : (tensor<4xbfloat16>) -> (tensor<4xfloat32>)
(%2) = "pd_op.cast" (%1) {dtype: dtype<bfloat16>} : (tensor<4xfloat32>) -> (tensor<4xbfloat16>)
(%5) = "pd_op.tanh" (%2) {} : (tensor<4xbfloat16>) -> (tensor<4xbfloat16>)
() = "builtin.results" (%5) {} : (tensor<4xbfloat16>) -> ()
// NOT pd_op.cast
// ----
// A cast to a narrower type and back rounds
// RUN simplify
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.cast" (%0) {dtype: dtype<bfloat16>} : (tensor<4xfloat32>) -> (tensor<4xbfloat16>)
(%2) = "pd_op.cast" (%1) {dtype: dtype<float32>} : (tensor<4xbfloat16>) -> (tensor<4xfloat32>)
(%5) = "pd_op.tanh" (%2) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%5) {} : (tensor<4xfloat32>) -> ()
