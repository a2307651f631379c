# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ParamAttr`: how a parameter is named, initialised and trained."""


class ParamAttr:
    """How a parameter is named, initialised and trained.

    Args:
        name: Name of the parameter, or None for a generated one.
        initializer: Initializer, or None for the layer's default.
        learning_rate: Factor on the optimizer's learning rate.
        regularizer: L1Decay or L2Decay, used instead of the optimizer's weight decay.
        trainable: False for a frozen parameter.
        do_model_average: Whether model averaging takes the parameter in.
        need_clip: Whether gradient clipping takes the parameter in.

    Example:
        >>> ones = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(1.0), learning_rate=0.1)
        >>> paddle.nn.Linear(2, 1, weight_attr=ones).weight.tolist()
        [[1.0], [1.0]]
    """

    def __init__(
        self,
        name=None,
        initializer=None,
        learning_rate=1.0,
        regularizer=None,
        trainable=True,
        do_model_average=True,
        need_clip=True,
    ):
        if name == "":
            raise ValueError("ParamAttr: name has value ''; a name must have a character.")
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    @staticmethod
    def _to_attr(arg):
        """A ParamAttr from None, a name, an initializer, a regularizer, or False (no parameter)."""
        from ..nn.initializer import Initializer
        from ..regularizer import WeightDecayRegularizer

        if arg is None:
            return ParamAttr()
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(a) for a in arg]
        if isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if isinstance(arg, Initializer):
            return ParamAttr(initializer=arg)
        if isinstance(arg, WeightDecayRegularizer):
            return ParamAttr(regularizer=arg)
        if isinstance(arg, bool):
            return ParamAttr() if arg else False
        raise TypeError(
            f"ParamAttr: {type(arg).__name__} cannot be made into a ParamAttr; pass a ParamAttr, "
            f"a name, an initializer, a regularizer or a bool."
        )
