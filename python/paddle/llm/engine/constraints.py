# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers of a form: JSON of a schema, a regular expression, a grammar. The package llguidance says what may follow."""

import itertools
import json
import threading

# Between the tokens of JSON: a line and its indentation, not more, or a model may write blanks for ever.
_JSON_SPACE = r"\n? {0,16}"
# Forms that were compiled lately; many requests ask for the same.
_KEPT_FORMS = 64


def _library():
    try:
        import llguidance
    except ImportError:
        raise ImportError(
            "answers of a form (json_schema, regex, grammar) need the package llguidance; install it by: "
            "pip install paddle-core[llm]"
        ) from None
    return llguidance


class _Words:
    """The tokenizer as llguidance asks for it."""

    def __init__(self, tokenizer, count, ends):
        self.eos_token_id, self.bos_token_id = ends[0], tokenizer.bos_id
        self.tokens = tokenizer.all_bytes(count)
        self.special_token_ids = sorted({*tokenizer.specials.values(), *ends} & set(range(count)))
        self._tokenizer = tokenizer

    def __call__(self, text):
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return self._tokenizer.encode(text, bos=False)


class Constraints:
    """The forms of the requests that an engine answers. Nothing is imported or built before the first one comes.

    Args:
        tokenizer: The engine's Tokenizer.
        count: Number of tokens of the model.
        ends: The tokens that end an answer.
    """

    def __init__(self, tokenizer, count, ends):
        self._tokenizer, self._count, self._ends = tokenizer, count, list(ends)
        self._words, self._executor, self._forms = None, None, {}
        self._matchers, self._numbers = {}, itertools.count(1)
        self._building = threading.Lock()

    def open(self, form, answers):
        """The number of a new request's constraint.

        Args:
            form: (kind, text) of SamplingParams.form.
            answers: Number of its answers.

        Raises:
            ValueError: The form is damaged, or the model has no token that ends an answer.
        """
        if not self._ends:
            raise ValueError("SamplingParams: an answer of a form needs a model with a token that ends answers.")
        with self._building:
            found = self._forms.get(form)
            if found is None:
                found = self._compiled(form)
                while len(self._forms) >= _KEPT_FORMS:
                    del self._forms[next(iter(self._forms))]
                self._forms[form] = found
            number = next(self._numbers)
            self._matchers[number] = [found.deep_copy() for _ in range(answers)]
        return number

    def close(self, number):
        """Forgets the constraint of a request that is answered."""
        self._matchers.pop(number, None)

    def _compiled(self, form):
        library = _library()
        kind, text = form
        if self._words is None:
            words = library.TokenizerWrapper(_Words(self._tokenizer, self._count, self._ends))
            self._words = library.LLTokenizer(words, n_vocab=self._count, eos_token=self._ends)
            self._executor = library.LLExecutor()
        if kind == "json_schema":
            grammar = library.LLMatcher.grammar_from_json_schema(text, {"whitespace_pattern": _JSON_SPACE})
        elif kind == "regex":
            grammar = library.LLMatcher.grammar_from_regex(text)
        else:
            grammar = library.LLMatcher.grammar_from_lark(text)
        matcher = library.LLMatcher(self._words, grammar, log_level=0)
        if matcher.is_error():
            reason = matcher.get_error().strip().splitlines()[0]
            raise ValueError(f"SamplingParams: {kind} cannot be used: {reason}")
        return matcher

    def make_masks(self, rows, words):
        """Writes the tokens that may follow, for the engine's thread.

        Args:
            rows: (number of the constraint, answer, tokens since the last call, address of the bits) of each.
            words: Number of 32-bit words of a row.

        Returns:
            A text for each row: "", or why its answer cannot go on.
        """
        errors, asked = [], []
        base, row_bytes = min(address for *_, address in rows), 4 * words
        for number, answer, tokens, address in rows:
            matchers = self._matchers.get(number)
            if matchers is None:  # the request has ended in the meantime
                errors.append("the request has ended")
                continue
            matcher = matchers[answer]
            if tokens and not matcher.is_stopped():
                matcher.consume_tokens(tokens)
            errors.append(matcher.get_error())
            if not errors[-1]:
                asked.append((matcher, (address - base) // row_bytes))
        if asked:
            self._executor.unsafe_compute_mask_ptr(asked, base, row_bytes, max(at for _, at in asked) + 1)
        return errors


def form_of(json_schema, regex, grammar):
    """(kind, text) of what SamplingParams says; None where answers have any form."""
    given = [
        (kind, value)
        for kind, value in (("json_schema", json_schema), ("regex", regex), ("grammar", grammar))
        if value is not None
    ]
    if len(given) > 1:
        names = " and ".join(kind for kind, _ in given)
        raise ValueError(f"SamplingParams: {names} are given; an answer has one form at most.")
    if not given:
        return None
    kind, value = given[0]
    if kind == "json_schema" and not isinstance(value, str):
        try:
            value = json.dumps(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"SamplingParams: json_schema is no JSON ({error}).") from None
    if not isinstance(value, str):
        raise ValueError(f"SamplingParams: {kind} has type {type(value).__name__}; it must be a str.")
    if kind == "json_schema":
        try:
            json.loads(value)
        except ValueError as error:
            raise ValueError(f"SamplingParams: json_schema is no JSON ({error}).") from None
    return kind, value
