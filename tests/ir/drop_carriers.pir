// What a loop carries and nothing reads: %9 is written anew by each round, %10 counts for itself
// RUN drop_carriers
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<bool>)
(%2, %3, %4) = "pd_op.while" (%1, %0, %0, %0) {} : (tensor<bool>, tensor<4xfloat32>, tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>, tensor<4xfloat32>, tensor<4xfloat32>) ({ ^(%8: tensor<4xfloat32>, %9: tensor<4xfloat32>, %10: tensor<4xfloat32>)
  (%11) = "pd_op.tanh" (%8) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  (%12) = "pd_op.relu" (%11) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  (%13) = "pd_op.exp" (%10) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  () = "cf.yield" (%1, %12, %11, %13) {} : (tensor<bool>, tensor<4xfloat32>, tensor<4xfloat32>, tensor<4xfloat32>) -> ()
})
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
// EXPECT
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<bool>)
(%2) = "pd_op.while" (%1, %0) {} : (tensor<bool>, tensor<4xfloat32>) -> (tensor<4xfloat32>) ({ ^(%3: tensor<4xfloat32>)
  (%4) = "pd_op.tanh" (%3) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  (%5) = "pd_op.relu" (%4) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  () = "cf.yield" (%1, %5) {} : (tensor<bool>, tensor<4xfloat32>) -> ()
})
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
// ----
// A carrier that another one needs stays
// RUN drop_carriers
// SAME
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.data" () {} : () -> (tensor<bool>)
(%2, %3) = "pd_op.while" (%1, %0, %0) {} : (tensor<bool>, tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>, tensor<4xfloat32>) ({ ^(%4: tensor<4xfloat32>, %5: tensor<4xfloat32>)
  (%6) = "pd_op.add" (%4, %5) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
  (%7) = "pd_op.exp" (%5) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
  () = "cf.yield" (%1, %6, %7) {} : (tensor<bool>, tensor<4xfloat32>, tensor<4xfloat32>) -> ()
})
() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()
