# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 and BERT-base as ONNX bytes with the weights of `fill_paddle`; needs the package onnx."""

import numpy as np
from harness import uniform
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Nodes and weights in the order in which they are added."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, value):
        self.count += 1
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), f"w{self.count}"))
        return f"w{self.count}"

    def __call__(self, kind, *inputs, **attributes):
        self.count += 1
        out = f"v{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def linear(self, x, name, n_in, n_out):
        w = uniform(name + ".weight", [n_in, n_out], n_in)
        y = self("MatMul", x, self.weight(w))
        return self("Add", y, self.weight(uniform(name + ".bias", [n_out], n_in)))

    def bytes(self, kind, shape, out, out_shape):
        graph = helper.make_graph(
            self.nodes,
            "model",
            [helper.make_tensor_value_info("x", kind, shape)],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, out_shape)],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        return model.SerializeToString()


def resnet50():
    """[N, 3, 224, 224] -> [N, 1000]; module paths as in models/resnet.py."""
    g = Graph()

    def conv(x, path, n_in, n_out, size, stride):
        w = uniform(path + ".weight", [n_out, n_in, size, size], n_in * size * size)
        pad = size // 2
        x = g("Conv", x, g.weight(w), strides=[stride] * 2, pads=[pad] * 4, kernel_shape=[size] * 2)
        one, zero = np.ones(n_out, np.float32), np.zeros(n_out, np.float32)
        return g("BatchNormalization", x, *map(g.weight, (one, zero, zero, one)), epsilon=1e-5)

    x = g("Relu", conv("x", "0", 3, 64, 7, 2))
    x = g("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    n_in, position = 64, 4
    for stage, count in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(count):
            stride, n_out, path = 2 if block == 0 and stage else 1, width * 4, str(position)
            y = g("Relu", conv(x, path + ".body.0", n_in, width, 1, 1))
            y = g("Relu", conv(y, path + ".body.3", width, width, 3, stride))
            y = conv(y, path + ".body.6", width, n_out, 1, 1)
            side = conv(x, path + ".shortcut.0", n_in, n_out, 1, stride) if block == 0 else x
            x = g("Relu", g("Add", y, side))
            n_in, position = n_out, position + 1
    x = g("Flatten", g("GlobalAveragePool", x))
    x = g.linear(x, str(position + 2), n_in, 1000)
    return g.bytes(TensorProto.FLOAT, ["N", 3, 224, 224], x, ["N", 1000])


def bert_base(dim, layers, heads, ffn, vocabulary, length):
    """int64 tokens [N, length] -> [N, dim]; module paths as in cases/bert_base_infer.py."""
    g = Graph()

    def norm(x):
        one, zero = np.ones(dim, np.float32), np.zeros(dim, np.float32)
        return g("LayerNormalization", x, g.weight(one), g.weight(zero), axis=-1, epsilon=1e-5)

    def split(x, perm):
        shape = g.weight(np.array([0, 0, heads, dim // heads], np.int64))
        return g("Transpose", g("Reshape", x, shape), perm=perm)

    word = uniform("word.weight", [vocabulary, dim], dim)
    place = uniform("place.weight", [512, dim], dim)[:length]
    x = norm(g("Add", g("Gather", g.weight(word), "x"), g.weight(place)))
    scale = g.weight(np.array((dim // heads) ** -0.5, np.float32))
    joined = g.weight(np.array([0, 0, dim], np.int64))
    for i in range(layers):
        path = f"layers.{i}."
        q, k, v = (g.linear(x, path + n, dim, dim) for n in "qkv")
        scores = g("MatMul", split(q, [0, 2, 1, 3]), split(k, [0, 2, 3, 1]))
        y = g("MatMul", g("Softmax", g("Mul", scores, scale), axis=-1), split(v, [0, 2, 1, 3]))
        y = g("Reshape", g("Transpose", y, perm=[0, 2, 1, 3]), joined)
        x = norm(g("Add", x, g.linear(y, path + "o", dim, dim)))
        y = g("Gelu", g.linear(x, path + "up", dim, ffn))
        x = norm(g("Add", x, g.linear(y, path + "down", ffn, dim)))
    first = g("Gather", x, g.weight(np.array(0, np.int64)), axis=1)
    out = g("Tanh", g.linear(first, "pool", dim, dim))
    return g.bytes(TensorProto.INT64, ["N", length], out, ["N", dim])
