# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of sentences: film reviews, newspaper text, ratings of films. Each reads one archive."""

import collections
import re
import string
import tarfile
import zipfile

import numpy as np

from ..io import Dataset
from ..utils.dataset_files import _check_exists_and_download

_IMDB_URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
_IMIKOLOV_URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
_MOVIELENS_URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"


def _checked(name, what, value, known):
    if value not in known:
        raise AssertionError(f"{name}: {what} has value {value!r}; it must be one of {', '.join(known)}.")
    return value


def _ranked(counts):
    """Words by falling count, equal ones in alphabetical order."""
    return sorted(counts, key=lambda word: (-counts[word], word if isinstance(word, bytes) else word.encode()))


class Imdb(Dataset):
    """Film reviews and whether they are bad (Maas et al., 2011).

    Args:
        data_file: The archive aclImdb_v1.tar.gz; fetched when None.
        mode: 'train' or 'test'.
        cutoff: Words that occur at most so often are unknown.
        download: Whether the archive may be fetched.

    Returns:
        Samples (numbers of the words, array [0] for a good or [1] for a bad review).
    """

    def __init__(self, data_file=None, mode="train", cutoff=150, download=True):
        self.mode = _checked("Imdb", "mode", mode.lower(), ("train", "test"))
        self.data_file = _check_exists_and_download(data_file, _IMDB_URL, None, "imdb", download)
        reviews = self._read()
        counts = collections.Counter(word for words in reviews.values() for review in words for word in review)
        words = _ranked({word: n for word, n in counts.items() if n > cutoff})
        self.word_idx = {word: i for i, word in enumerate([*words, "<unk>"])}
        unknown = self.word_idx["<unk>"]
        self.docs, self.labels = [], []
        for label, kind in enumerate(("pos", "neg")):
            for review in reviews[self.mode, kind]:
                self.docs.append([self.word_idx.get(word, unknown) for word in review])
                self.labels.append(label)

    def _read(self):
        form = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")
        found = {(part, kind): [] for part in ("train", "test") for kind in ("pos", "neg")}
        marks = string.punctuation.encode()
        with tarfile.open(self.data_file) as archive:
            for member in archive:
                match = form.match(member.name)
                if match:
                    text = archive.extractfile(member).read().rstrip(b"\n\r")
                    found[match.groups()].append(text.translate(None, marks).lower().split())
        return found

    def __getitem__(self, idx):
        return np.array(self.docs[idx]), np.array([self.labels[idx]])

    def __len__(self):
        return len(self.docs)


class Imikolov(Dataset):
    """Sentences of the Penn Treebank as windows or as pairs of a sentence and the same one word later.

    Args:
        data_file: The archive simple-examples.tgz; fetched when None.
        data_type: 'NGRAM' for windows, 'SEQ' for pairs.
        window_size: Length of windows; longest sentence of pairs, -1 for any.
        mode: 'train' or 'test'.
        min_word_freq: Words that occur at most so often are unknown.
        download: Whether the archive may be fetched.

    Returns:
        Samples: the numbers of a window, or two arrays.
    """

    def __init__(
        self, data_file=None, data_type="NGRAM", window_size=-1, mode="train", min_word_freq=50, download=True
    ):
        self.data_type = _checked("Imikolov", "data_type", data_type.upper(), ("NGRAM", "SEQ"))
        self.mode = _checked("Imikolov", "mode", mode.lower(), ("train", "test"))
        self.window_size, self.min_word_freq = window_size, min_word_freq
        self.data_file = _check_exists_and_download(data_file, _IMIKOLOV_URL, None, "imikolov", download)
        with tarfile.open(self.data_file) as archive:
            counts = self.word_count(self._file(archive, "train"))
            counts = self.word_count(self._file(archive, "valid"), counts)
            counts.pop("<unk>", None)
            words = _ranked({word: n for word, n in counts.items() if n > min_word_freq})
            self.word_idx = {word: i for i, word in enumerate(words)}
            self.word_idx["<unk>"] = len(words)
            self.data = list(self._samples(self._file(archive, self.mode)))

    def _file(self, archive, part):
        return archive.extractfile(f"./simple-examples/data/ptb.{part}.txt")

    def word_count(self, f, word_freq=None):
        """Number of occurrences of the words of a file; ends of lines count as '<s>' and '<e>'.

        Args:
            f: A file of bytes.
            word_freq: Counts to go on with.
        """
        counts = collections.defaultdict(int) if word_freq is None else word_freq
        for line in f:
            for word in (*line.strip().split(), "<s>", "<e>"):
                counts[word] += 1
        return counts

    def _samples(self, lines):
        known, unknown = self.word_idx, self.word_idx["<unk>"]
        for line in lines:
            words = line.strip().split()
            if self.data_type == "NGRAM":
                if self.window_size < 0:
                    raise AssertionError(f"Imikolov: window_size has value {self.window_size}; it must be positive.")
                ids = [known.get(word, unknown) for word in ("<s>", *words, "<e>")]
                for end in range(self.window_size, len(ids) + 1):
                    yield tuple(ids[end - self.window_size : end])
            else:
                ids = [known.get(word, unknown) for word in words]
                source, target = [known["<s>"], *ids], [*ids, known["<e>"]]
                if self.window_size <= 0 or len(source) <= self.window_size:
                    yield source, target

    def __getitem__(self, idx):
        return tuple(np.array(part) for part in self.data[idx])

    def __len__(self):
        return len(self.data)


AGES = (1, 18, 25, 35, 45, 50, 56)


class MovieInfo:
    """A film: its number, title and kinds."""

    def __init__(self, index, categories, title):
        self.index, self.categories, self.title = int(index), categories, title

    def value(self, categories_dict, movie_title_dict):
        """Its number, the numbers of its kinds and of the words of its title."""
        kinds = [categories_dict[c] for c in self.categories]
        return [[self.index], kinds, [movie_title_dict[word.lower()] for word in self.title.split()]]

    def __repr__(self):
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"


class UserInfo:
    """Somebody who rates: number, gender, age and job."""

    def __init__(self, index, gender, age, job_id):
        self.index, self.is_male, self.job_id = int(index), gender == "M", int(job_id)
        self.age = AGES.index(int(age))

    def value(self):
        """Number, 0 for men and 1 for women, number of the group of ages, job."""
        return [[self.index], [0 if self.is_male else 1], [self.age], [self.job_id]]

    def __repr__(self):
        gender = "M" if self.is_male else "F"
        return f"<UserInfo id({self.index}), gender({gender}), age({AGES[self.age]}), job({self.job_id})>"


class Movielens(Dataset):
    """Ratings of films, of MovieLens 1M.

    Args:
        data_file: The archive ml-1m.zip; fetched when None.
        mode: 'train' or 'test'.
        test_ratio: Share of the ratings for tests.
        rand_seed: Seed of the choice of these.
        download: Whether the archive may be fetched.

    Returns:
        Samples (user, gender, age, job, film, kinds, title, rating), rating between -5 and 5.
    """

    def __init__(self, data_file=None, mode="train", test_ratio=0.1, rand_seed=0, download=True):
        self.mode = _checked("Movielens", "mode", mode.lower(), ("train", "test"))
        self.data_file = _check_exists_and_download(data_file, _MOVIELENS_URL, None, "sentiment", download)
        self.test_ratio, self.rand_seed = test_ratio, rand_seed
        np.random.seed(rand_seed)
        with zipfile.ZipFile(self.data_file) as archive:
            self._read_films(archive)
            rows = self._rows(archive, "users")
            self.user_info = {int(row[0]): UserInfo(*row[:4]) for row in rows}
            self.data = list(self._samples(self._rows(archive, "ratings")))

    def _rows(self, archive, name):
        with archive.open(f"ml-1m/{name}.dat") as file:
            return [line.decode("latin").strip().split("::") for line in file]

    def _read_films(self, archive):
        form = re.compile(r"^(.*)\((\d+)\)$")
        self.movie_info, kinds, words = {}, set(), set()
        for number, title, listed in self._rows(archive, "movies"):
            film = MovieInfo(number, listed.split("|"), form.match(title).group(1))
            self.movie_info[film.index] = film
            kinds.update(film.categories)
            words.update(word.lower() for word in film.title.split())
        self.categories_dict = {kind: i for i, kind in enumerate(sorted(kinds))}
        self.movie_title_dict = {word: i for i, word in enumerate(sorted(words))}

    def _samples(self, rows):
        for user, film, rating, _ in rows:
            if (np.random.random() < self.test_ratio) == (self.mode == "test"):
                values = self.movie_info[int(film)].value(self.categories_dict, self.movie_title_dict)
                yield [*self.user_info[int(user)].value(), *values, [float(rating) * 2 - 5.0]]

    def __getitem__(self, idx):
        return tuple(np.array(part) for part in self.data[idx])

    def __len__(self):
        return len(self.data)
