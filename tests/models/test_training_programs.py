# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs as users write them: each trains a small network and must learn."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn import functional as F


class Squares(paddle.io.Dataset):
    """Images 1x12x12 with a bright square in one of four corners."""

    def __init__(self, count):
        rng = np.random.RandomState(count)
        self.labels = rng.randint(0, 4, count)
        self.images = rng.normal(0, 0.3, (count, 1, 12, 12)).astype("float32")
        for image, label in zip(self.images, self.labels, strict=True):
            row, column = divmod(int(label), 2)
            image[0, 6 * row + 1 : 6 * row + 5, 6 * column + 1 : 6 * column + 5] += 1.0

    def __getitem__(self, index):
        return self.images[index], self.labels[index : index + 1]

    def __len__(self):
        return len(self.labels)


def cnn():
    return nn.Sequential(
        nn.Conv2D(1, 8, 3, padding=1),
        nn.BatchNorm2D(8),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(8, 8, 3),
        nn.ReLU(),
        nn.AdaptiveAvgPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(32, 4),
    )


def test_model_fit(tmp_path):
    paddle.seed(0)
    model = paddle.Model(cnn(), paddle.static.InputSpec([None, 1, 12, 12], "float32", "image"))
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(0.02, 20)
    model.prepare(
        paddle.optimizer.Adam(schedule, parameters=model.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(topk=(1, 2)),
    )
    model.fit(Squares(128), Squares(32), batch_size=32, epochs=4, verbose=0, save_dir=str(tmp_path), save_freq=4)
    scores = model.evaluate(Squares(48), batch_size=16, verbose=0)
    assert scores["acc_top1"] > 0.9 and scores["acc_top2"] >= scores["acc_top1"]
    outputs = model.predict(Squares(10), batch_size=4, stack_outputs=True, verbose=0)[0]
    fresh = paddle.Model(cnn())
    fresh.prepare()
    fresh.load(str(tmp_path / "final"))
    again = fresh.predict(Squares(10), batch_size=10, stack_outputs=True, verbose=0)[0]
    np.testing.assert_allclose(again, outputs, rtol=1e-5, atol=1e-5)


class Classifier(nn.Layer):
    """The last state of a bidirectional LSTM over sentences of different lengths."""

    def __init__(self, words, size):
        super().__init__()
        self.embedding = nn.Embedding(words, size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, direction="bidirect")
        self.head = nn.Linear(2 * size, 2)

    def forward(self, ids, lengths):
        _, (state, _) = self.lstm(self.embedding(ids), sequence_length=lengths)
        return self.head(paddle.concat([state[0], state[1]], axis=-1))


def test_lstm_classifier_of_variable_lengths():
    paddle.seed(1)
    rng = np.random.RandomState(0)
    sentences = [rng.randint(2, 20, rng.randint(3, 9)) for _ in range(64)]
    labels = [i % 2 for i in range(64)]
    for sentence, label in zip(sentences, labels, strict=True):
        if label:
            sentence[rng.randint(len(sentence))] = 1

    def collate(rows):
        length = max(len(sentence) for sentence, _ in rows)
        ids = np.stack([np.pad(sentence, (0, length - len(sentence))) for sentence, _ in rows])
        return ids, np.array([len(sentence) for sentence, _ in rows]), np.array([label for _, label in rows])

    loader = paddle.io.DataLoader(
        list(zip(sentences, labels, strict=True)), batch_size=16, shuffle=True, collate_fn=collate
    )
    model = Classifier(20, 16)
    optimizer = paddle.optimizer.Adam(0.02, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0))
    for _ in range(12):
        for ids, lengths, target in loader:
            loss = F.cross_entropy(model(ids, lengths), target)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
    ids, lengths, target = collate(list(zip(sentences, labels, strict=True)))
    with paddle.no_grad():
        logits = model(paddle.to_tensor(ids), paddle.to_tensor(lengths))
        wider = model(paddle.to_tensor(np.pad(ids, ((0, 0), (0, 3)))), paddle.to_tensor(lengths))
    assert (logits.argmax(-1).numpy() == target).mean() > 0.95
    np.testing.assert_allclose(wider.numpy(), logits.numpy(), atol=1e-6)


def test_gan_with_two_optimizers():
    paddle.seed(3)
    generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
    critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    g_step = paddle.optimizer.Adam(2e-3, beta1=0.5, parameters=generator.parameters())
    d_step = paddle.optimizer.Adam(5e-3, beta1=0.5, parameters=critic.parameters())
    loss = nn.BCEWithLogitsLoss()
    centre = paddle.to_tensor([2.0, -1.0])
    with paddle.no_grad():
        before = (generator(paddle.randn([256, 4])).mean(0) - centre).norm().item()
    for _ in range(250):
        real = centre + 0.1 * paddle.randn([32, 2])
        fake = generator(paddle.randn([32, 4]))
        frozen = generator[0].weight.grad
        d_loss = loss(critic(real), paddle.ones([32, 1])) + loss(critic(fake.detach()), paddle.zeros([32, 1]))
        d_loss.backward()
        assert frozen is None and generator[0].weight.grad is None
        d_step.step()
        d_step.clear_grad()
        loss(critic(fake), paddle.ones([32, 1])).backward()
        g_step.step()
        g_step.clear_grad(set_to_zero=False)
        d_step.clear_grad()
    with paddle.no_grad():
        after = (generator(paddle.randn([256, 4])).mean(0) - centre).norm().item()
    assert after < 0.5 * before


class Translator(nn.Layer):
    """nn.Transformer between two small vocabularies."""

    def __init__(self, words, size):
        super().__init__()
        self.source, self.target = nn.Embedding(words, size), nn.Embedding(words, size)
        self.positions = self.create_parameter([8, size], default_initializer=nn.initializer.Normal(0.0, 0.3))
        self.transformer = nn.Transformer(size, 2, 1, 1, 2 * size, dropout=0.0)
        self.head = nn.Linear(size, words)

    def forward(self, source, target):
        mask = self.transformer.generate_square_subsequent_mask(target.shape[1])
        x = self.source(source) + self.positions[: source.shape[1]]
        y = self.target(target) + self.positions[: target.shape[1]]
        return self.head(self.transformer(x, y, tgt_mask=mask))


def test_transformer_translates_with_label_smoothing():
    paddle.seed(4)
    words, length = 12, 5
    model = Translator(words, 32)
    schedule = paddle.optimizer.lr.LinearWarmup(5e-3, 20, 0.0, 5e-3)
    optimizer = paddle.optimizer.AdamW(schedule, parameters=model.parameters(), weight_decay=0.01)
    for _ in range(100):
        source = paddle.randint(2, words, [32, length])
        wanted = (source + 3 - 2) % (words - 2) + 2
        target = paddle.concat([paddle.ones([32, 1], "int64"), wanted[:, :-1]], axis=1)
        smooth = F.label_smooth(F.one_hot(wanted, words), epsilon=0.1)
        loss = F.cross_entropy(model(source, target), smooth, soft_label=True)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
    model.eval()
    source = paddle.randint(2, words, [16, length])
    made = paddle.ones([16, 1], "int64")
    with paddle.no_grad():
        for _ in range(length):
            made = paddle.concat([made, model(source, made)[:, -1:].argmax(-1)], axis=1)
    wanted = (source + 3 - 2) % (words - 2) + 2
    assert (made[:, 1:] == wanted).astype("float32").mean().item() > 0.9


@pytest.mark.parametrize("level, dtype", [("O1", "bfloat16"), ("O2", "bfloat16"), ("O1", "float16"), ("O2", "float16")])
def test_mixed_precision(level, dtype):
    paddle.seed(5)
    model = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 1))
    optimizer = paddle.optimizer.AdamW(1e-2, parameters=model.parameters())
    scaler = paddle.amp.GradScaler(enable=dtype == "float16", init_loss_scaling=1024.0)
    if level == "O2":
        model, optimizer = paddle.amp.decorate(model, optimizer, level="O2", dtype=dtype)
        assert model[0].weight.dtype == getattr(paddle, dtype) and model[1].weight.dtype == paddle.float32
    x = paddle.randn([64, 8])
    y = x[:, :1] * x[:, 1:2]
    losses = []
    for _ in range(60):
        with paddle.amp.auto_cast(level=level, dtype=dtype):
            loss = F.mse_loss(model(x).astype("float32"), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.4 * losses[0]


def test_gradient_penalty():
    paddle.seed(6)
    critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = paddle.optimizer.Adam(1e-2, parameters=critic.parameters())
    for _ in range(80):
        x = paddle.randn([32, 2])
        x.stop_gradient = False
        (slope,) = paddle.grad(critic(x).sum(), x, create_graph=True)
        penalty = ((slope.norm(axis=1) - 1.0) ** 2).mean()
        penalty.backward()
        optimizer.step()
        optimizer.clear_grad()
    assert penalty.item() < 0.05


class StraightThrough(paddle.autograd.PyLayer):
    """The sign of x; its gradient that of x clipped to [-1, 1]."""

    @staticmethod
    def forward(ctx, x, bound=1.0):
        ctx.save_for_backward(x)
        ctx.bound = bound
        return paddle.sign(x)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * (x.abs() <= ctx.bound).astype(dy.dtype)


def test_custom_gradient_trains_a_binary_network():
    paddle.seed(7)
    first, second = nn.Linear(4, 32), nn.Linear(32, 1)
    optimizer = paddle.optimizer.Adam(1e-2, parameters=[*first.parameters(), *second.parameters()])
    x = paddle.randn([128, 4])
    y = (x[:, :1] > x[:, 1:2]).astype("float32")
    for _ in range(80):
        loss = F.binary_cross_entropy_with_logits(second(StraightThrough.apply(first(x), bound=1.5)), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    right = ((second(StraightThrough.apply(first(x))) > 0) == (y > 0.5)).astype("float32").mean()
    assert right.item() > 0.9
