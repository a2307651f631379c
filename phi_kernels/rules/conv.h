// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The attributes of the convolutions in one form, whatever their order in the schema, and the
// extents that follow from them.
#pragma once

#include <cstring>

#include "paddle_core/op/op_def.h"
#include "phi_kernels/rules/window.h"

namespace paddle {

struct ConvAttributes {
  size_t axes = 2;  // spatial
  Shape strides, paddings, dilations;
  Shape output_padding, output_size;  // of transposed convolutions
  std::string_view algorithm, format;
  int64_t groups = 1;

  bool channels_last() const { return is_channels_last(format); }
  int64_t stride(size_t a) const { return strides[a].value(); }
  // What the padding adds to axis `a`, both sides together; not under "SAME".
  Dim added(size_t a) const {
    return added_extent(algorithm, {paddings.data(), paddings.size()}, a, axes);
  }
  int64_t dilation(size_t a) const { return algorithm == "SAME" ? 1 : dilations[a].value(); }
  Padding padding(size_t a, int64_t extent, int64_t kernel) const {
    return resolve_padding(algorithm, {paddings.data(), paddings.size()}, a, axes, extent, kernel,
                           stride(a));
  }
};

// Works on Infer, Args and KernelContext: everything that has op(), slot(k), i(k) and text(k).
template <typename Call>
ConvAttributes conv_attributes(const Call& c) {
  const Schema& schema = c.op().schema();
  ConvAttributes out;
  for (int k = 0; k < static_cast<int>(schema.args.size()); ++k) {
    const std::string& name = schema.args[static_cast<size_t>(k)].name;
    if (name == "strides") {
      out.strides = constant_ints(c, k);
    } else if (name == "paddings") {
      out.paddings = constant_ints(c, k);
    } else if (name == "dilations") {
      out.dilations = constant_ints(c, k);
    } else if (name == "output_padding") {
      out.output_padding = constant_ints(c, k);
    } else if (name == "output_size") {
      out.output_size = constant_ints(c, k);
    } else if (name == "padding_algorithm") {
      out.algorithm = c.text(k);
    } else if (name == "data_format") {
      out.format = c.text(k);
    } else if (name == "groups") {
      out.groups = c.i(k);
    }
  }
  out.axes = std::strstr(c.op().name(), "conv3d") != nullptr ? 3 : 2;
  return out;
}

}  // namespace paddle
