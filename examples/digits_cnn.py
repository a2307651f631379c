# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A small convolutional network learns scikit-learn's 8 x 8 digits.

    pip install scikit-learn
    python examples/digits_cnn.py [EPOCHS]

It shows Dataset, DataLoader, AdamW with a cosine schedule, and evaluation; held-out accuracy is above 95 %.
"""

import sys

import numpy as np
import paddle
from paddle import nn


class Digits(paddle.io.Dataset):
    """Images between 0 and 1 of shape [1, 8, 8], with their digits."""

    def __init__(self, images, labels):
        self.images = (images[:, None] / 16.0).astype("float32")
        self.labels = labels.astype("int64")

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


def network():
    return nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1),
        nn.BatchNorm2D(16),
        nn.ReLU(),
        nn.Conv2D(16, 32, 3, padding=1),
        nn.BatchNorm2D(32),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(32 * 4 * 4, 10),
    )


def accuracy(net, loader):
    metric = paddle.metric.Accuracy()
    net.eval()
    with paddle.no_grad():
        for images, labels in loader:
            metric.update(metric.compute(net(images), labels))
    net.train()
    return metric.accumulate()


def main(epochs=10):
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("digits_cnn: this example reads the digits of scikit-learn; pip install scikit-learn.")

    paddle.seed(0)
    np.random.seed(0)
    digits = load_digits()
    order = np.random.permutation(len(digits.target))
    train, test = (Digits(digits.images[part], digits.target[part]) for part in (order[360:], order[:360]))
    train_loader = paddle.io.DataLoader(train, batch_size=64, shuffle=True, num_workers=2)
    test_loader = paddle.io.DataLoader(test, batch_size=360)

    net = network()
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(3e-3, T_max=epochs * len(train_loader))
    optimizer = paddle.optimizer.AdamW(schedule, parameters=net.parameters(), weight_decay=0.01)
    loss_function = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        total = 0.0
        for images, labels in train_loader:
            loss = loss_function(net(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            schedule.step()
            total += float(loss)
        print(f"epoch {epoch + 1}: loss {total / len(train_loader):.4f}")
    result = accuracy(net, test_loader)
    print(f"held-out accuracy: {100 * result:.1f} %")
    return result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
