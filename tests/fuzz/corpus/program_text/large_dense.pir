(%0) = "builtin.constant" () {value: dense<tensor<999999999xfloat32>: [1.0]>} : () -> (tensor<4xfloat32>)
