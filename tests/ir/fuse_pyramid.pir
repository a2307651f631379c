// a level of a pyramid
// RUN fuse_pyramid dce
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat32>)
(%2) = "pd_op.nearest_interp" (%1, _, _, _) {data_format: "NCHW", out_d: 0:i32, out_h: 0:i32, out_w: 0:i32, scale: [2.0:f32, 2.0:f32], interp_method: "nearest", align_corners: false, align_mode: 1:i32} : (tensor<2x3x4x3xfloat32>, null, null, null) -> (tensor<2x3x8x6xfloat32>)
(%3) = "pd_op.add" (%0, %2) {} : (tensor<2x3x8x6xfloat32>, tensor<2x3x8x6xfloat32>) -> (tensor<2x3x8x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x3x8x6xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat32>)
(%2) = "pd_op.add_nearest" (%0, %1) {scale: [2.0:f32, 2.0:f32], data_format: "NCHW"} : (tensor<2x3x8x6xfloat32>, tensor<2x3x4x3xfloat32>) -> (tensor<2x3x8x6xfloat32>)
() = "builtin.results" (%2) {} : (tensor<2x3x8x6xfloat32>) -> ()
// ----
// the finer map in front
// RUN fuse_pyramid dce
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat32>)
(%2) = "pd_op.nearest_interp" (%1, _, _, _) {data_format: "NCHW", out_d: 0:i32, out_h: 0:i32, out_w: 0:i32, scale: [2.0:f32, 2.0:f32], interp_method: "nearest", align_corners: false, align_mode: 1:i32} : (tensor<2x3x4x3xfloat32>, null, null, null) -> (tensor<2x3x8x6xfloat32>)
(%3) = "pd_op.add" (%2, %0) {} : (tensor<2x3x8x6xfloat32>, tensor<2x3x8x6xfloat32>) -> (tensor<2x3x8x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x3x8x6xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat32>)
(%2) = "pd_op.add_nearest" (%0, %1) {scale: [2.0:f32, 2.0:f32], data_format: "NCHW"} : (tensor<2x3x8x6xfloat32>, tensor<2x3x4x3xfloat32>) -> (tensor<2x3x8x6xfloat32>)
() = "builtin.results" (%2) {} : (tensor<2x3x8x6xfloat32>) -> ()
// ----
// corners are aligned
// RUN fuse_pyramid dce
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat32>)
(%2) = "pd_op.nearest_interp" (%1, _, _, _) {data_format: "NCHW", out_d: 0:i32, out_h: 0:i32, out_w: 0:i32, scale: [2.0:f32, 2.0:f32], interp_method: "nearest", align_corners: true, align_mode: 1:i32} : (tensor<2x3x4x3xfloat32>, null, null, null) -> (tensor<2x3x8x6xfloat32>)
(%3) = "pd_op.add" (%0, %2) {} : (tensor<2x3x8x6xfloat32>, tensor<2x3x8x6xfloat32>) -> (tensor<2x3x8x6xfloat32>)
() = "builtin.results" (%3) {} : (tensor<2x3x8x6xfloat32>) -> ()
// ----
// the finer map is a result too
// RUN fuse_pyramid dce
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat32>)
(%2) = "pd_op.nearest_interp" (%1, _, _, _) {data_format: "NCHW", out_d: 0:i32, out_h: 0:i32, out_w: 0:i32, scale: [2.0:f32, 2.0:f32], interp_method: "nearest", align_corners: false, align_mode: 1:i32} : (tensor<2x3x4x3xfloat32>, null, null, null) -> (tensor<2x3x8x6xfloat32>)
(%3) = "pd_op.add" (%0, %2) {} : (tensor<2x3x8x6xfloat32>, tensor<2x3x8x6xfloat32>) -> (tensor<2x3x8x6xfloat32>)
() = "builtin.results" (%3, %2) {} : (tensor<2x3x8x6xfloat32>, tensor<2x3x8x6xfloat32>) -> ()
// ----
// another dtype
// RUN fuse_pyramid dce
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<2x3x8x6xfloat64>)
(%1) = "pd_op.data" () {} : () -> (tensor<2x3x4x3xfloat64>)
(%2) = "pd_op.nearest_interp" (%1, _, _, _) {data_format: "NCHW", out_d: 0:i32, out_h: 0:i32, out_w: 0:i32, scale: [2.0:f32, 2.0:f32], interp_method: "nearest", align_corners: false, align_mode: 1:i32} : (tensor<2x3x4x3xfloat64>, null, null, null) -> (tensor<2x3x8x6xfloat64>)
(%3) = "pd_op.add" (%0, %2) {} : (tensor<2x3x8x6xfloat64>, tensor<2x3x8x6xfloat64>) -> (tensor<2x3x8x6xfloat64>)
() = "builtin.results" (%3) {} : (tensor<2x3x8x6xfloat64>) -> ()
