"""An LSTM that reads text character by character, and then writes its own.

The text is made by a small grammar, so it is known what there is to learn: the words, which of them
may follow which, that subject and verb agree, and how many nats a character has at least.
"""

import re

import numpy as np
from digits import learn, run
from drawing import BLUE, RED, canvas
from optimizers import adam

import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams

NOUNS = ("cat cats", "dog dogs", "child children", "king kings", "river rivers", "wolf wolves")
SEEING = ("sees see", "finds find", "follows follow", "hears hear")
RESTING = ("sleeps sleep", "sings sing", "waits wait")
ADJECTIVES = ("old", "small", "red", "quiet")
ARTICLES = (("a", "the", "every"), ("two", "the", "many"))


class Grammar:
    """Sentences by chance, with the logarithm of the probability of all choices so far."""

    def __init__(self, seed):
        self.rng, self.log_p = np.random.RandomState(seed), 0.0

    def one_of(self, choices):
        self.log_p -= np.log(len(choices))
        return choices[self.rng.randint(len(choices))]

    def noun_phrase(self, plural):
        words = [self.one_of(ARTICLES[plural])]
        if self.one_of((True, False)):
            words.append(self.one_of(ADJECTIVES))
        return [*words, self.one_of(NOUNS).split()[plural]]

    def sentence(self):
        plural = self.one_of((0, 1))
        words = self.noun_phrase(plural)
        if self.one_of((True, False)):
            return [*words, self.one_of(RESTING).split()[plural]]
        verb = self.one_of(SEEING).split()[plural]
        return [*words, verb, *self.noun_phrase(self.one_of((0, 1)))]

    def text(self, length):
        """At least so many characters, and the nats that each of them carries."""
        sentences, so_far = [], 0
        while so_far < length:
            sentences.append(" ".join(self.sentence()) + ". ")
            so_far += len(sentences[-1])
        return "".join(sentences), -self.log_p / so_far


def expression():
    """A regular expression for the sentences of the grammar."""
    some = lambda words: "(?:" + "|".join(words) + ")"
    noun_phrase = [
        f"{some(ARTICLES[k])} (?:{some(ADJECTIVES)} )?{some(w.split()[k] for w in NOUNS)}"
        for k in (0, 1)
    ]
    sentence = some(
        f"{noun_phrase[k]} (?:{some(w.split()[k] for w in RESTING)}"
        f"|{some(w.split()[k] for w in SEEING)} {some(noun_phrase)})"
        for k in (0, 1)
    )
    return re.compile(sentence)


GROUPS = (*NOUNS, *SEEING, *RESTING, *ADJECTIVES, *ARTICLES[0], *ARTICLES[1])
VOCABULARY = {word for group in GROUPS for word in group.split()}
CHARACTERS = sorted({*"".join(VOCABULARY), " ", "."})


class LSTM:
    def __init__(self, rng, n_chars, n_units):
        def shared(values, name):
            return theano.shared(np.asarray(values, "float32"), name)

        small = lambda *shape: rng.normal(scale=shape[0] ** -0.5, size=shape)
        self.n_units = n_units
        self.V = shared(small(n_chars, 4 * n_units), "V")
        self.W = shared(small(n_units, 4 * n_units), "W")
        # the forget gate begins open
        self.b = shared(np.repeat([0, 1, 0, 0], n_units), "b")
        self.U = shared(small(n_units, n_chars), "U")
        self.c = shared(np.zeros(n_chars), "c")
        self.params = [self.V, self.W, self.b, self.U, self.c]

    def step(self, x, h, c):
        """Of a batch: what comes in, output and cell before; output and cell after."""
        gates = x + T.dot(h, self.W)
        part = lambda k: gates[:, k * self.n_units : (k + 1) * self.n_units]
        let_in, keep, let_out = (T.nnet.sigmoid(part(k)) for k in range(3))
        c = keep * c + let_in * T.tanh(part(3))
        return let_out * T.tanh(c), c

    def logits(self, h):
        return T.dot(h, self.U) + self.c

    def read(self, text, h, c):
        """Mean nats of the next character in (time, batch); output and cell at the end."""
        # the product of a one-hot vector and a matrix is a row of the matrix
        x = self.V[text[:-1]] + self.b
        (hs, cs), _ = theano.scan(self.step, sequences=x, outputs_info=[h, c])
        p = T.nnet.softmax(self.logits(hs.reshape((-1, self.n_units))))
        return T.nnet.categorical_crossentropy(p, text[1:].flatten()).mean(), hs[-1], cs[-1]

    def write(self, streams, first, n_steps):
        """Texts: each character is drawn from what the ones before it predict."""

        def one(char, h, c):
            h, c = self.step(self.V[char] + self.b, h, c)
            drawn = streams.multinomial(pvals=T.nnet.softmax(self.logits(h)))
            return T.argmax(drawn, axis=1), h, c

        zeros = T.zeros((first.shape[0], self.n_units), "float32")
        (chars, _, _), updates = theano.scan(
            one, outputs_info=[first, zeros, zeros], n_steps=n_steps
        )
        return chars, updates


def numbers(text, batch_size):
    """Texts of equal length side by side, as numbers: (time, batch)."""
    at = np.array([CHARACTERS.index(character) for character in text])
    return at[: len(at) // batch_size * batch_size].reshape(batch_size, -1).T


def judged(texts):
    """The share of words that exist, and of sentences that the grammar makes."""
    # the last sentence of a text is not complete
    sentences = [s for text in texts for s in text.strip().split(". ")[:-1]]
    words = " ".join(sentences).split(" ")
    right = expression()
    return {
        "words": float(np.mean([word in VOCABULARY for word in words])),
        "sentences": float(np.mean([bool(right.fullmatch(s)) for s in sentences or [""]])),
    }


def main(n_epochs=9, n_units=96, batch_size=20, n_steps=30, length=30000, seed=2, quiet=False):
    text, _ = Grammar(seed).text(length)
    held_out, entropy = Grammar(seed + 1).text(length // 4)
    data = theano.shared(numbers(text, batch_size), "data")

    model = LSTM(np.random.RandomState(seed), len(CHARACTERS), n_units)
    zeros = np.zeros((batch_size, n_units), "float32")
    h, c = theano.shared(zeros, "h"), theano.shared(zeros, "c")
    index, rate, read = T.lscalar("index"), T.fscalar("rate"), T.lmatrix("read")
    part = data[index * n_steps : (index + 1) * n_steps + 1]
    cost, h_end, c_end = model.read(part, h, c)
    updates = adam(cost, model.params, rate, clip=1.0)
    train = theano.function([index, rate], cost, updates=[*updates, (h, h_end), (c, c_end)])
    test = theano.function([read], model.read(read, T.zeros_like(h), T.zeros_like(c))[0])
    first = T.lvector("first")
    chars, drawn = model.write(RandomStreams(seed), first, 400)
    write = theano.function([first], chars, updates=drawn)

    n_windows = (len(data.get_value(borrow=True)) - 1) // n_steps
    tested, written, stop = [], [], [CHARACTERS.index(".")] * 10

    def epoch(number):
        h.set_value(zeros)
        c.set_value(zeros)
        slower = np.float32(0.01 * min(1, 2 * (1 - number / n_epochs)))
        nats = np.mean([train(i, slower) for i in range(n_windows)])
        tested.append(float(test(numbers(held_out, batch_size))))
        written.append(["".join(CHARACTERS[i] for i in one) for one in write(stop).T])
        return nats

    losses = learn("LSTM", n_epochs, epoch, quiet)
    found = [judged(texts) for texts in written]
    if not quiet:
        print(f"nats per character: {tested[-1]:.3f} on new text, at least {entropy:.3f}")
        print(f"words that exist {found[-1]['words']:.0%}, sentences {found[-1]['sentences']:.0%}")
        print(written[-1][0][1:201])
    return {
        "losses": {"LSTM": losses},
        "tested": tested,
        "entropy": entropy,
        "written": written,
        "judged": found,
    }


def draw(results, path):
    """The loss by epochs with its bound, and what the network writes after some of them."""
    with canvas(path, 300) as figure:
        figure.set_layout_engine("none")
        epochs = np.arange(1, len(results["tested"]) + 1)
        left = figure.add_axes((0.075, 0.15, 0.27, 0.76))
        left.plot(epochs, results["tested"], "o-", ms=3, color=BLUE, label="new text")
        left.axhline(results["entropy"], color=RED, ls="--", label="the grammar itself")
        left.set(xlabel="epoch", ylabel="nats per character", ylim=(0, None))
        left.legend(loc="upper right")
        right = figure.add_axes((0.38, 0.02, 0.605, 0.96))
        columns = 64
        right.set(xlim=(0, columns), ylim=(17.5, 0))
        right.axis("off")
        row, style = 1, {"family": "monospace", "fontsize": 7.8, "va": "center"}
        for number in sorted({1, 2, 4, len(epochs)} & {*epochs}):
            share = results["judged"][number - 1]["words"]
            title = f"after epoch {number}: {share:.0%} of the words exist"
            right.text(0, row, title, fontweight="bold", va="center")
            row += 1
            column, last = 0, row + 3
            for word in results["written"][number - 1][0].lstrip(" .").split(" "):
                if column + len(word) > columns:
                    row, column = row + 1, 0
                if row == last:
                    break
                colour = "black" if word.rstrip(".") in VOCABULARY else RED
                right.text(column, row, word, color=colour, **style)
                column += len(word) + 1
            row = last + 0.4


if __name__ == "__main__":
    run(main, __doc__, draw)
