(%0) = "builtin.constant" () {value: dense<tensor<99999999x99999999xfloat32>: [1.0]>} : () -> (tensor<4xfloat32>)
