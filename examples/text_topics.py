"""Which of ten topics a text is about: softmax regression on sparse counts of words.

The texts are made here. Each topic has some words that it uses more often than others do; a text
draws one word in seven by its topic and the rest from a language that all topics share.
"""

import numpy as np
import scipy.sparse
from digits import learn, run
from drawing import BLUE, GRAY, ORANGE, RED, canvas

import theano
import theano.tensor as T
from theano import sparse

N_WORDS, N_TEXTS, N_TOPICS = 20000, 4000, 10
TOPIC_WORDS = 400  # words that a topic uses more often
SHARE = 1 / 7  # of a text's words that its topic draws


def made_up_words(n, rng):
    """n different invented words."""
    heads, tails = "b d f g k l m n p r s t v z br st tr".split(), "a e i o u ai".split()
    syllables = [h + t for h in heads for t in tails]
    found = {}
    while len(found) < n:
        count = 2 + int(rng.rand() < 0.6)
        found["".join(syllables[i] for i in rng.randint(len(syllables), size=count))] = None
    return list(found)


def make_texts(seed=0):
    """Counts of words (csr, a row for each text), topics of texts, words of topics, and words."""
    rng = np.random.RandomState(seed)
    shared = 1.0 / np.arange(10, N_WORDS + 10)  # a few words make up most of every text
    shared = np.cumsum(shared / shared.sum())
    own = [rng.choice(np.arange(100, N_WORDS), TOPIC_WORDS, replace=False) for _ in range(N_TOPICS)]
    topics = rng.randint(N_TOPICS, size=N_TEXTS)
    rows, columns = [], []
    for text, topic in enumerate(topics):
        length = rng.poisson(80)
        by_topic = rng.rand(length) < SHARE
        words = np.searchsorted(shared, rng.rand(length))
        words[by_topic] = rng.choice(own[topic], by_topic.sum())
        rows.append(np.full(length, text))
        columns.append(words)
    at = (np.concatenate(rows), np.concatenate(columns))
    counts = scipy.sparse.csr_matrix((np.ones(len(at[0]), "float32"), at), shape=(N_TEXTS, N_WORDS))
    return counts, topics.astype("int32"), own, made_up_words(N_WORDS, rng)


def main(n_epochs=15, batch_size=100, learning_rate=0.5, quiet=False):
    counts, topics, own, words = make_texts()
    cut = N_TEXTS * 3 // 4
    data = theano.shared(counts, name="counts")  # 305,000 of 80,000,000 elements are stored
    labels = theano.shared(topics, name="topics")

    x, y = sparse.csr_matrix("x", dtype="float32"), T.ivector("y")
    W = theano.shared(np.zeros((N_WORDS, N_TOPICS), "float32"), name="W")
    b = theano.shared(np.zeros(N_TOPICS, "float32"), name="b")
    # a word that is there ten times tells little more than one that is there five times
    p = T.nnet.softmax(sparse.dot(sparse.log1p(x), W) + b)
    cost = T.nnet.categorical_crossentropy(p, y).mean()
    wrong = T.neq(T.argmax(p, axis=1), y).mean()

    first, last = T.lscalars("first", "last")
    part = {x: data[first:last], y: labels[first:last]}
    rate = np.float32(learning_rate)
    updates = [(v, v - rate * g) for v, g in zip([W, b], T.grad(cost, [W, b]))]
    train = theano.function([first, last], cost, updates=updates, givens=part)
    test = theano.function([first, last], wrong, givens=part)

    seen, held_out = [], []

    def epoch(_):
        costs = [train(i, i + batch_size) for i in range(0, cut, batch_size)]
        seen.append(1 - float(test(0, cut)))
        held_out.append(1 - float(test(cut, N_TEXTS)))
        return np.mean(costs)

    losses = learn("topics of texts", n_epochs, epoch, quiet)
    telling = np.argsort(-W.get_value(), axis=0)[:8].T  # for each topic its most telling words
    found = [np.isin(best, mine).mean() for best, mine in zip(telling, own)]
    if not quiet:
        print(f"{np.mean(found):.0%} of the most telling words are words of the topic")
    return {
        "accuracy": held_out[-1],
        "losses": {"topics of texts": losses},
        "seen": seen,
        "held out": held_out,
        "found": float(np.mean(found)),
        "telling": [
            [(words[i], float(W.get_value()[i, t]), i in own[t]) for i in best]
            for t, best in enumerate(telling)
        ],
    }


def draw(results, path):
    """Loss and accuracy by epochs, and what words speak for three of the topics."""
    losses = results["losses"]["topics of texts"]
    with canvas(path, height=250) as figure:
        left, *others = figure.subplots(1, 4, width_ratios=[2, 1, 1, 1])
        epochs = np.arange(1, len(losses) + 1)
        left.plot(epochs, results["seen"], color=BLUE, label="texts it learns from")
        left.plot(epochs, results["held out"], color=ORANGE, label="other texts")
        left.plot(epochs, losses, color=RED, label="loss")
        left.axhline(1 / N_TOPICS, color=GRAY, ls=":", label="accuracy by chance")
        left.set(xlabel="epoch", ylabel="accuracy, loss", ylim=(0, 3.2))
        left.legend(loc="upper right")
        for topic, axes in enumerate(others):
            words, weights, its_own = zip(*reversed(results["telling"][topic]))
            axes.barh(words, weights, color=[BLUE if o else "lightgray" for o in its_own])
            axes.set(title=f"topic {topic}", xticks=[0, 0.5])
            axes.tick_params(axis="y", length=0, pad=1)
        others[1].set_xlabel("weights of the most telling words (blue: the topic's own)")


if __name__ == "__main__":
    run(main, __doc__, draw)
