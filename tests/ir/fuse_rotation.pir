// rotary embedding of the last axis
// RUN fuse_rotation dce
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<-1>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x3x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>) -> (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%6, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x4xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x4xfloat32>)
(%10) = "builtin.combine" (%9, %5) {} : (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>, tensor<1xint32>) -> (tensor<2x5x3x8xfloat32>)
(%12) = "pd_op.multiply" (%11, %2) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%13) = "pd_op.add" (%7, %12) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<2x5x3x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.rotate_halves" (%0, %1, %2) {inverse: false} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x5x3x8xfloat32>) -> ()
// ----
// the axis from the front, factors and terms the other way round
// RUN fuse_rotation dce
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<3>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x3x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>) -> (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%6, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x4xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x4xfloat32>)
(%10) = "builtin.combine" (%9, %5) {} : (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>, tensor<1xint32>) -> (tensor<2x5x3x8xfloat32>)
(%12) = "pd_op.multiply" (%2, %11) {} : (tensor<1x5x1x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%13) = "pd_op.add" (%12, %7) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<2x5x3x8xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.rotate_halves" (%0, %1, %2) {inverse: false} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x5x3x8xfloat32>) -> ()
// ----
// the halves are not exchanged
// RUN fuse_rotation
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<-1>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x3x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>) -> (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%5, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x4xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x4xfloat32>)
(%10) = "builtin.combine" (%9, %6) {} : (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>, tensor<1xint32>) -> (tensor<2x5x3x8xfloat32>)
(%12) = "pd_op.multiply" (%11, %2) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%13) = "pd_op.add" (%7, %12) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<2x5x3x8xfloat32>) -> ()
// ----
// the turned value is a result too
// RUN fuse_rotation
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<-1>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x3x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>) -> (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%6, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x4xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x4xfloat32>)
(%10) = "builtin.combine" (%9, %5) {} : (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>, tensor<1xint32>) -> (tensor<2x5x3x8xfloat32>)
(%12) = "pd_op.multiply" (%11, %2) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%13) = "pd_op.add" (%7, %12) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%13, %11) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> ()
// ----
// another axis is halved
// RUN fuse_rotation
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x6x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x8xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<-2>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x6x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>>) -> (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x6x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x6x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%6, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x8xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%10) = "builtin.combine" (%9, %5) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (vec<tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>>, tensor<1xint32>) -> (tensor<2x5x6x8xfloat32>)
(%12) = "pd_op.multiply" (%11, %2) {} : (tensor<2x5x6x8xfloat32>, tensor<1x5x1x8xfloat32>) -> (tensor<2x5x6x8xfloat32>)
(%13) = "pd_op.add" (%7, %12) {} : (tensor<2x5x6x8xfloat32>, tensor<2x5x6x8xfloat32>) -> (tensor<2x5x6x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<2x5x6x8xfloat32>) -> ()
// ----
// tables of fewer axes
// RUN fuse_rotation
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<5x1x8xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<5x1x8xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<-1>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x3x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>) -> (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x3x8xfloat32>, tensor<5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%6, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x4xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x4xfloat32>)
(%10) = "builtin.combine" (%9, %5) {} : (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>, tensor<1xint32>) -> (tensor<2x5x3x8xfloat32>)
(%12) = "pd_op.multiply" (%11, %2) {} : (tensor<2x5x3x8xfloat32>, tensor<5x1x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%13) = "pd_op.add" (%7, %12) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<2x5x3x8xfloat32>) -> ()
// ----
// tables without the last extent
// RUN fuse_rotation
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x5x3x8xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<1x5x1x1xfloat32>)
(%2) = "pd_op.data" () {} : () -> (tensor<1x5x1x1xfloat32>)
(%3) = "pd_op.full" () {shape: ints<1>, value: scalar<-1>, dtype: dtype<int32>, place: place<1, 0>} : () -> (tensor<1xint32>)
(%4) = "pd_op.split_with_num" (%0, %3) {num: 2:i32} : (tensor<2x5x3x8xfloat32>, tensor<1xint32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%5, %6) = "builtin.split" (%4) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>) -> (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>)
(%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x1xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%8) = "pd_op.full" () {shape: ints<1>, value: scalar<-1.0>, dtype: dtype<float32>, place: place<1, 0>} : () -> (tensor<1xfloat32>)
(%9) = "pd_op.scale" (%6, %8) {bias: scalar<0.0>, bias_after_scale: true} : (tensor<2x5x3x4xfloat32>, tensor<1xfloat32>) -> (tensor<2x5x3x4xfloat32>)
(%10) = "builtin.combine" (%9, %5) {} : (tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>) -> (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>)
(%11) = "pd_op.concat" (%10, %3) {} : (vec<tensor<2x5x3x4xfloat32>, tensor<2x5x3x4xfloat32>>, tensor<1xint32>) -> (tensor<2x5x3x8xfloat32>)
(%12) = "pd_op.multiply" (%11, %2) {} : (tensor<2x5x3x8xfloat32>, tensor<1x5x1x1xfloat32>) -> (tensor<2x5x3x8xfloat32>)
(%13) = "pd_op.add" (%7, %12) {} : (tensor<2x5x3x8xfloat32>, tensor<2x5x3x8xfloat32>) -> (tensor<2x5x3x8xfloat32>)
() = "builtin.results" (%13) {} : (tensor<2x5x3x8xfloat32>) -> ()
