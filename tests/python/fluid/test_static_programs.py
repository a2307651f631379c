# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Static programs as the guides of PaddlePaddle 1.8 and 2.0 write them, training until they are right."""

import numpy as np
import paddle
import pytest
from paddle import fluid


@pytest.fixture(autouse=True)
def program():
    paddle.enable_static()
    paddle.seed(7)
    main, start = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, start), fluid.scope_guard(fluid.Scope()):
        yield main, start
    paddle.disable_static()


def trained(program, batches, loss, others=(), start=None):
    """The losses of all batches, and the last values of other variables."""
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    losses, values = [], []
    for feed in batches:
        first, *values = exe.run(program, feed=feed, fetch_list=[loss, *others])
        losses.append(float(first[0]))
    return losses, values


def test_a_line_is_fitted(program):
    x = fluid.layers.data(name="x", shape=[13], dtype="float32")
    y = fluid.layers.data(name="y", shape=[1], dtype="float32")
    y_predict = fluid.layers.fc(input=x, size=1, act=None)
    avg_cost = fluid.layers.mean(fluid.layers.square_error_cost(input=y_predict, label=y))
    test_program = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(learning_rate=0.05).minimize(avg_cost)
    rng = np.random.RandomState(0)
    slopes = rng.randn(13, 1).astype("float32")

    def batches():
        for _ in range(300):
            rows = rng.randn(20, 13).astype("float32")
            yield {"x": rows, "y": rows @ slopes + 2.0}

    losses, _ = trained(program[0], batches(), avg_cost)
    assert losses[-1] < 1e-4 < losses[0]
    rows = rng.randn(3, 13).astype("float32")
    exe = fluid.Executor()
    (found,) = exe.run(test_program, feed={"x": rows, "y": rows[:, :1]}, fetch_list=[y_predict])
    np.testing.assert_allclose(found, rows @ slopes + 2.0, atol=0.05)


def digits(rng, count):
    """Images of 28 by 28 whose class is where their bright stripe is."""
    labels = rng.randint(0, 10, [count, 1]).astype("int64")
    images = rng.randn(count, 1, 28, 28).astype("float32") * 0.3
    for image, label in zip(images, labels[:, 0], strict=True):
        image[0, 2 * label + 3 : 2 * label + 6] += 1.0
    return images, labels


def test_digits_are_recognised_by_convolutions(program):
    img = fluid.layers.data(name="img", shape=[1, 28, 28], dtype="float32")
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    one = fluid.nets.simple_img_conv_pool(
        input=img, filter_size=5, num_filters=8, pool_size=2, pool_stride=2, act="relu"
    )
    one = fluid.layers.batch_norm(one)
    two = fluid.nets.simple_img_conv_pool(
        input=one, filter_size=5, num_filters=8, pool_size=2, pool_stride=2, act="relu"
    )
    prediction = fluid.layers.fc(input=two, size=10, act="softmax")
    avg_cost = fluid.layers.mean(fluid.layers.cross_entropy(input=prediction, label=label))
    acc = fluid.layers.accuracy(input=prediction, label=label)
    fluid.optimizer.Adam(learning_rate=0.005).minimize(avg_cost)
    rng = np.random.RandomState(0)
    feeder = fluid.DataFeeder(feed_list=[img, label], place=fluid.CPUPlace())

    def batches():
        for _ in range(40):
            yield feeder.feed(list(zip(*digits(rng, 32), strict=True)))

    losses, (accuracy,) = trained(program[0], batches(), avg_cost, [acc])
    assert losses[0] > 1.5 and losses[-1] < 0.3
    assert accuracy.shape == (1,) and accuracy[0] > 0.9


def test_words_get_vectors_that_predict_the_next_one(program):
    names, size = ["firstw", "secondw", "thirdw", "fourthw"], 20
    words = [fluid.layers.data(name=n, shape=[1], dtype="int64") for n in names]
    next_word = fluid.layers.data(name="nextw", shape=[1], dtype="int64")
    vectors = [
        fluid.layers.embedding(input=w, size=[size, 16], dtype="float32", is_sparse=True, param_attr="shared_w")
        for w in words
    ]
    concat = fluid.layers.concat(input=vectors, axis=1)
    hidden = fluid.layers.fc(input=concat, size=64, act="sigmoid")
    predict = fluid.layers.fc(input=hidden, size=size, act="softmax")
    avg_cost = fluid.layers.mean(fluid.layers.cross_entropy(input=predict, label=next_word))
    rate = fluid.layers.exponential_decay(0.05, 100, 0.5, staircase=True)
    fluid.optimizer.AdamOptimizer(
        learning_rate=rate, regularization=fluid.regularizer.L2DecayRegularizer(regularization_coeff=1e-6)
    ).minimize(avg_cost)
    assert [p.name for p in program[0].all_parameters()].count("shared_w") == 1
    rng = np.random.RandomState(0)

    def batches():
        for _ in range(150):
            first = rng.randint(0, size, [64, 1]).astype("int64")
            yield {n: (first + i) % size for i, n in enumerate([*names, "nextw"])}

    losses, (last_rate,) = trained(program[0], batches(), avg_cost, [rate])
    assert losses[0] > 2.5 and losses[-1] < 0.1
    np.testing.assert_allclose(last_rate, [0.025], rtol=1e-6)


def sentences(rng, count, size):
    """Sequences of words whose class is whether the larger half of the words is more frequent."""
    rows = []
    for _ in range(count):
        label = rng.randint(0, 2)
        words = rng.randint(0, size // 2, rng.randint(3, 9)) + label * (size // 2)
        rows.append((words.tolist(), [label]))
    return rows


def sentiment_by_convolutions(data):
    emb = fluid.layers.embedding(input=data, size=[40, 16], is_sparse=True)
    three = fluid.nets.sequence_conv_pool(input=emb, num_filters=16, filter_size=3, act="tanh", pool_type="sqrt")
    four = fluid.nets.sequence_conv_pool(input=emb, num_filters=16, filter_size=4, act="tanh", pool_type="sqrt")
    return fluid.layers.fc(input=[three, four], size=2, act="softmax")


def sentiment_by_stacked_lstm(data):
    emb = fluid.layers.embedding(input=data, size=[40, 16], is_sparse=True)
    fc1 = fluid.layers.fc(input=emb, size=32)
    lstm1, cell1 = fluid.layers.dynamic_lstm(input=fc1, size=32)
    inputs = [fc1, lstm1]
    for i in range(2, 4):
        fc = fluid.layers.fc(input=inputs, size=32)
        lstm, cell = fluid.layers.dynamic_lstm(input=fc, size=32, is_reverse=(i % 2) == 0)
        inputs = [fc, lstm]
    fc_last = fluid.layers.sequence_pool(input=inputs[0], pool_type="max")
    lstm_last = fluid.layers.sequence_pool(input=inputs[1], pool_type="max")
    return fluid.layers.fc(input=[fc_last, lstm_last], size=2, act="softmax")


def sentiment_by_gru(data):
    emb = fluid.layers.embedding(input=data, size=[40, 16])
    gru = fluid.layers.dynamic_gru(input=fluid.layers.fc(emb, 48), size=16)
    return fluid.layers.fc(input=fluid.layers.sequence_last_step(gru), size=2, act="softmax")


@pytest.mark.parametrize("net", [sentiment_by_convolutions, sentiment_by_stacked_lstm, sentiment_by_gru])
def test_sentiment_of_sequences_is_understood(program, net):
    data = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    prediction = net(data)
    avg_cost = fluid.layers.mean(x=fluid.layers.cross_entropy(input=prediction, label=label))
    acc = fluid.layers.accuracy(input=prediction, label=label)
    fluid.optimizer.Adagrad(learning_rate=0.1).minimize(avg_cost)
    rng = np.random.RandomState(0)
    feeder = fluid.DataFeeder(feed_list=["words", "label"], place=fluid.CPUPlace())
    batches = (feeder.feed(sentences(rng, 32, 40)) for _ in range(30))
    losses, (accuracy,) = trained(program[0], batches, avg_cost, [acc])
    assert losses[-1] < 0.15 and accuracy[0] > 0.95


def vgg(input):
    def conv_block(ipt, num_filter, groups, dropouts):
        return fluid.nets.img_conv_group(
            input=ipt,
            pool_size=2,
            pool_stride=2,
            conv_num_filter=[num_filter] * groups,
            conv_filter_size=3,
            conv_act="relu",
            conv_with_batchnorm=True,
            conv_batchnorm_drop_rate=dropouts,
            pool_type="max",
        )

    conv2 = conv_block(conv_block(input, 8, 2, [0.1, 0]), 16, 2, [0.1, 0])
    drop = fluid.layers.dropout(x=conv2, dropout_prob=0.2)
    fc1 = fluid.layers.fc(input=drop, size=32, act=None)
    bn = fluid.layers.batch_norm(input=fc1, act="relu")
    return fluid.layers.fc(input=fluid.layers.dropout(x=bn, dropout_prob=0.2), size=10, act="softmax")


def resnet(input):
    def conv_bn_layer(input, ch_out, filter_size, stride, padding, act="relu", bias_attr=False):
        tmp = fluid.layers.conv2d(
            input=input,
            filter_size=filter_size,
            num_filters=ch_out,
            stride=stride,
            padding=padding,
            act=None,
            bias_attr=bias_attr,
        )
        return fluid.layers.batch_norm(input=tmp, act=act)

    def shortcut(input, ch_in, ch_out, stride):
        return conv_bn_layer(input, ch_out, 1, stride, 0, None) if ch_in != ch_out else input

    def basicblock(input, ch_in, ch_out, stride):
        tmp = conv_bn_layer(input, ch_out, 3, stride, 1)
        tmp = conv_bn_layer(tmp, ch_out, 3, 1, 1, act=None, bias_attr=True)
        return fluid.layers.elementwise_add(x=tmp, y=shortcut(input, ch_in, ch_out, stride), act="relu")

    conv1 = conv_bn_layer(input, ch_out=8, filter_size=3, stride=1, padding=1)
    res = basicblock(basicblock(conv1, 8, 8, 1), 8, 16, 2)
    pool = fluid.layers.pool2d(input=res, pool_size=8, pool_type="avg", pool_stride=1)
    return fluid.layers.fc(input=pool, size=10, act="softmax")


@pytest.mark.parametrize("net", [vgg, resnet])
def test_images_are_classified(program, net):
    images = fluid.layers.data(name="pixel", shape=[3, 16, 16], dtype="float32")
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    predict = net(images)
    avg_cost = fluid.layers.mean(fluid.layers.cross_entropy(input=predict, label=label))
    acc = fluid.layers.accuracy(input=predict, label=label)
    test_program = program[0].clone(for_test=True)
    fluid.optimizer.Momentum(
        learning_rate=fluid.layers.piecewise_decay([40], [0.05, 0.01]),
        momentum=0.9,
        regularization=fluid.regularizer.L2Decay(1e-4),
    ).minimize(avg_cost)
    rng = np.random.RandomState(0)
    patterns = rng.randn(10, 3, 16, 16).astype("float32")

    def batch():
        labels = rng.randint(0, 10, [32, 1]).astype("int64")
        return {"pixel": patterns[labels[:, 0]] + 0.3 * rng.randn(32, 3, 16, 16).astype("float32"), "label": labels}

    losses, _ = trained(program[0], (batch() for _ in range(60)), avg_cost)
    assert losses[-1] < 0.5 < losses[0]
    (accuracy,) = fluid.Executor().run(test_program, feed=batch(), fetch_list=[acc])
    assert accuracy[0] > 0.9


def test_tags_of_words_are_learned_by_a_chain(program):
    words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
    target = fluid.layers.data(name="target", shape=[1], dtype="int64", lod_level=1)
    emb = fluid.embedding(input=words, size=[12, 16])
    feature = fluid.layers.fc(input=fluid.layers.reshape(emb, [-1, 16]), size=5)
    crf_cost = fluid.layers.linear_chain_crf(
        input=feature, label=target, param_attr=fluid.ParamAttr(name="crfw", learning_rate=1.0)
    )
    avg_cost = fluid.layers.mean(crf_cost)
    decode = fluid.layers.crf_decoding(input=feature, param_attr=fluid.ParamAttr(name="crfw"))
    counted = fluid.layers.chunk_eval(input=decode, label=target, chunk_scheme="IOB", num_chunk_types=2)
    test_program = program[0].clone(for_test=True)
    fluid.optimizer.Adam(learning_rate=0.05).minimize(avg_cost)
    rng = np.random.RandomState(0)
    feeder = fluid.DataFeeder(feed_list=[words, target], place=fluid.CPUPlace())

    def sentence():
        """Words 0 to 3 are outside; 4 to 7 and 8 to 11 name things of two kinds, which last while they last."""
        kinds = rng.randint(0, 3, 4)
        rows, tags = [], []
        for kind in kinds:
            for _ in range(rng.randint(1, 3)):
                tags.append(4 if kind == 0 else 2 * (kind - 1) + (rows != [] and rows[-1] // 4 == kind))
                rows.append(4 * kind + rng.randint(0, 4))
        return rows, tags

    losses, _ = trained(program[0], (feeder.feed([sentence() for _ in range(16)]) for _ in range(120)), avg_cost)
    assert losses[-1] < 1.0 < losses[0]
    rows = [sentence() for _ in range(20)]
    exe = fluid.Executor()
    (made,) = exe.run(test_program, feed=feeder.feed(rows), fetch_list=[decode], return_numpy=False)
    assert made.recursive_sequence_lengths() == [[len(tags) for _, tags in rows]]
    right = np.array(made).ravel() == np.concatenate([tags for _, tags in rows])
    assert right.mean() > 0.95
    numbers = exe.run(test_program, feed=feeder.feed(rows), fetch_list=list(counted))
    assert numbers[2][0] > 0.9 and numbers[3].dtype == np.int64


def test_a_sequence_is_translated_by_an_encoder_and_a_decoder(program):
    size, width, length = 12, 24, 5
    source = fluid.data(name="source", shape=[None, length], dtype="int64")
    target = fluid.data(name="target", shape=[None, length], dtype="int64")
    label = fluid.data(name="label", shape=[None, length, 1], dtype="int64")
    emb = fluid.embedding(source, [size, width], param_attr=fluid.ParamAttr(name="emb"))
    encoder = fluid.layers.GRUCell(hidden_size=width, name="encoder")
    _, state = fluid.layers.rnn(cell=encoder, inputs=emb)
    decoder = fluid.layers.GRUCell(hidden_size=width, name="decoder")
    given = fluid.embedding(target, [size, width], param_attr=fluid.ParamAttr(name="emb"))
    outputs, _ = fluid.layers.rnn(cell=decoder, inputs=given, initial_states=state)
    logits = fluid.layers.fc(outputs, size=size, num_flatten_dims=2)
    loss = fluid.layers.softmax_with_cross_entropy(logits=logits, label=label)
    avg_cost = fluid.layers.mean(loss)
    clip = fluid.clip.GradientClipByGlobalNorm(clip_norm=5.0)
    fluid.optimizer.Adam(learning_rate=0.01, grad_clip=clip).minimize(avg_cost)
    rng = np.random.RandomState(0)

    def batch():
        given = rng.randint(2, size, [32, length]).astype("int64")
        wanted = given[:, ::-1]
        begun = np.concatenate([np.ones([32, 1], "int64"), wanted[:, :-1]], 1)
        return {"source": given, "target": begun, "label": wanted[:, :, None].copy()}

    losses, _ = trained(program[0], (batch() for _ in range(300)), avg_cost)
    assert losses[0] > 2.0 and losses[-1] < 0.5
