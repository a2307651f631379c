# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of the ratings of MovieLens 1M: user, gender, age, job, film, kinds, words of the title, [rating]."""

import functools
import re
import zipfile

import numpy as np

from ..text import corpora
from . import common

URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
MD5 = "c4d9eecfca2ab87c1945afe126590906"
age_table = list(corpora.AGES)

__all__ = []


class MovieInfo(corpora.MovieInfo):
    """A film: its number, title and kinds."""

    def value(self):
        """Its number, the numbers of its kinds and of the words of its title."""
        (number,), kinds, words = super().value(movie_categories(), get_movie_title_dict())
        return [number, kinds, words]


class UserInfo(corpora.UserInfo):
    """Somebody who rates: number, gender, age and job."""

    def value(self):
        """Number, 0 for men and 1 for women, number of the group of ages, job."""
        return [part for (part,) in super().value()]


def _rows(name):
    with zipfile.ZipFile(fetch()) as archive, archive.open(f"ml-1m/{name}.dat") as file:
        for line in file:
            yield line.decode("latin").strip().split("::")


@functools.cache
def movie_info():
    """number -> MovieInfo of all films."""
    title_only = re.compile(r"^(.*)\((\d+)\)$")
    rows = ((number, kinds.split("|"), title_only.match(title).group(1)) for number, title, kinds in _rows("movies"))
    return {film.index: film for film in (MovieInfo(*row) for row in rows)}


@functools.cache
def user_info():
    """number -> UserInfo of all who rate."""
    return {user.index: user for user in (UserInfo(*row[:4]) for row in _rows("users"))}


@functools.cache
def get_movie_title_dict():
    """word of a title, in lower case -> its number."""
    words = sorted({word.lower() for film in movie_info().values() for word in film.title.split()})
    return {word: i for i, word in enumerate(words)}


@functools.cache
def movie_categories():
    """kind of films -> its number."""
    kinds = sorted({kind for film in movie_info().values() for kind in film.categories})
    return {kind: i for i, kind in enumerate(kinds)}


def max_movie_id():
    """The largest number of a film."""
    return max(movie_info())


def max_user_id():
    """The largest number of a user."""
    return max(user_info())


def max_job_id():
    """The largest number of a job."""
    return max(user.job_id for user in user_info().values())


def _reader(rand_seed=0, test_ratio=0.1, is_test=False):
    def read():
        chance = np.random.RandomState(rand_seed)
        users, films = user_info(), movie_info()
        for user, film, rating, _ in _rows("ratings"):
            if (chance.random_sample() < test_ratio) == is_test:
                yield [*users[int(user)].value(), *films[int(film)].value(), [float(rating) * 2 - 5.0]]

    return read


def train():
    """Reader of nine tenths of the ratings."""
    return _reader(is_test=False)


def test():
    """Reader of the other tenth of the ratings."""
    return _reader(is_test=True)


def fetch():
    """Download the archive and return its path."""
    return common.download(URL, "movielens", MD5)
