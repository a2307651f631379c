# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What every tokenizer offers: text to ids and back, special tokens on request only, text from a stream of ids."""

import codecs
import re

# Texts that begin and end turns of conversations. Some files have their tokens as ordinary ones of the vocabulary, so that
# what a user writes could end a turn; loaders make them special.
TURN_TEXTS = frozenset(
    (
        "<|im_start|> <|im_end|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <start_of_turn> <end_of_turn> "
        "<|system|> <|user|> <|assistant|> <|end|> <|endoftext|> <|end_of_text|> <|end_of_turn|> <|return|> <|call|> </s> "
        "[INST] [/INST]"
    ).split()
)


class Tokenizer:
    """Base of tokenizers.

    Args:
        specials: Text of a special (control) token -> its id.
        bos_id: Token in front of a text, or None.
        eos_ids: Tokens that end an answer.
        adds_bos: Whether `encode` puts `bos_id` in front unless told otherwise.
        stripping: Texts of specials that swallow white space behind them.

    A subclass has `encode_plain` and `token_bytes`.
    """

    def __init__(self, specials, bos_id=None, eos_ids=(), adds_bos=False, stripping=()):
        self.specials, self.bos_id, self.eos_ids = dict(specials), bos_id, tuple(eos_ids)
        self.adds_bos = adds_bos and bos_id is not None
        self._special_texts = {number: text for text, number in self.specials.items()}
        # There may be thousands: they are looked up by their length where one can begin.
        starts = "".join(sorted({text[0] for text in self.specials if text}))
        self._starts = re.compile(f"[{re.escape(starts)}]") if starts else None
        self._lengths = sorted({len(text) for text in self.specials if text}, reverse=True)
        self._stripping = frozenset(stripping)

    def encode_plain(self, text, is_start):
        """Ids of a text in which nothing is special; `is_start` where it begins the whole."""
        raise NotImplementedError

    def token_bytes(self, token):
        """The bytes that an ordinary token stands for."""
        raise NotImplementedError

    def encode(self, text, special=False, bos=None):
        """Ids of a text.

        Args:
            text: A str.
            special: Whether the text of special tokens means these tokens, as in a chat template that was filled in. By
                default it is text like any other, which is how text of users is encoded.
            bos: Whether `bos_id` comes first; None: as the model is made.

        Returns:
            A list of int.
        """
        return self.encode_parts([(text, special)], bos)

    def encode_whole(self, text):
        """Ids of a text by itself, with the tokens that the model's file puts around it, such as [CLS] and [SEP]; no text is
        special."""
        return self.encode(text)

    def encode_parts(self, parts, bos=None):
        """Ids of one text that is given in parts, of which some may not hold special tokens, whatever is written there.

        Args:
            parts: (text, special) of each part, as for `encode`. Ordinary text runs on from one part to the next.
            bos: As for `encode`.

        Returns:
            A list of int.
        """
        runs = [""]  # texts, with the spelling of the special tokens between them
        for text, special in parts:
            if not isinstance(text, str):
                raise TypeError(f"encode: text has type {type(text).__name__}; it must be a str.")
            text = text.encode("utf-8", "replace").decode()  # lone surrogates have no bytes
            at = 0
            for begin, spelled in self.special_places(text) if special else ():
                if begin < at:
                    continue
                runs[-1] += text[at:begin]
                runs += [spelled, ""]
                at = begin + len(spelled)
            runs[-1] += text[at:]
        ids = [self.bos_id] if (self.adds_bos if bos is None else bos) and self.bos_id is not None else []
        for i in range(0, len(runs), 2):
            text = runs[i]
            if i > 0:
                ids.append(self.specials[runs[i - 1]])
                if runs[i - 1] in self._stripping:
                    text = text.lstrip()
            if text:
                ids += self.encode_plain(text, i == 0)
        return ids

    def special_places(self, text):
        """(position, text) of special tokens; where several begin, the longest."""
        if self._starts is None:
            return
        for found in self._starts.finditer(text):
            begin = found.start()
            spelled = next((s for n in self._lengths if (s := text[begin : begin + n]) in self.specials), None)
            if spelled is not None:
                yield begin, spelled

    def piece_bytes(self, token, special=False):
        """The bytes of any token; those of special ones only on request."""
        text = self._special_texts.get(token)
        if text is not None:
            return text.encode() if special else b""
        return self.token_bytes(token)

    def all_bytes(self, count):
        """`piece_bytes` of the tokens below `count`; of tokens that the tokenizer does not have, none."""
        return [self.piece_bytes(token) if token < self.vocab_size else b"" for token in range(count)]

    def decode(self, ids, special=False):
        """The text of ids.

        Args:
            ids: Ints.
            special: Whether special tokens are shown.

        Returns:
            A str; bytes that form no characters become U+FFFD.
        """
        stream = self.stream(special)
        return "".join([stream.add(int(token)) for token in ids] + [stream.finish()])

    def stream(self, special=False):
        """A Detokenizer for a new text."""
        return Detokenizer(self, special)


class Detokenizer:
    """Text from a stream of ids. A character appears with the token that completes its bytes.

    Args:
        tokenizer: A Tokenizer.
        special: Whether special tokens are shown.

    Example:
        >>> from paddle.llm.tokenizers import PieceTokenizer
        >>> tokenizer = PieceTokenizer(["<0xC3>", "<0xA9>", "a"], [0.0, 0.0, -1.0], [6, 6, 1])
        >>> stream = tokenizer.stream()
        >>> [stream.add(token) for token in (2, 0, 1)]
        ['a', '', 'é']
    """

    def __init__(self, tokenizer, special=False):
        self.tokenizer, self.special = tokenizer, special
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._strips = getattr(tokenizer, "strips_first_space", False)

    def add(self, token):
        """The text that a further token completes; empty while bytes of a character are missing."""
        text = self._decoder.decode(self.tokenizer.piece_bytes(token, self.special))
        if text and self._strips:
            self._strips = False
            return text.removeprefix(" ")
        return text

    def finish(self):
        """What is left when no token follows: U+FFFD for bytes that form no character."""
        return self._decoder.decode(b"", True)
