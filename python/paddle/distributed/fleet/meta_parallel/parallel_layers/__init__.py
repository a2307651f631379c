# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers of model and pipeline parallelism."""

from .pp_layers import LayerDesc, LocalSharedLayerDesc, PipelineLayer, SharedLayerDesc
