"""Word vectors: skip-gram with negative sampling, on a text that a small grammar makes.

A word is predicted from its neighbours: its vector has a large product with theirs, and small ones
with those of random words. The program is not given the classes of words; the vectors show them.
A step reads a few rows of the two tables, and ``inc_subtensor`` writes only to those.
"""

import numpy as np
from digits import learn, run
from drawing import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, canvas

import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

CLASSES = {
    "person": "anna boris clara david emma felix",
    "animal": "dog cat horse goose fox mouse",
    "food": "bread cheese soup apple rice cake",
    "drink": "water milk tea juice coffee wine",
    "place": "bridge market garden river school station",
    "eats": "eats tastes cooks bakes shares serves",
    "drinks": "drinks sips pours spills fetches warms",
    "moves": "walks runs rides hurries wanders goes",
    "flavour": "sweet salty fresh warm bitter cold",
    "look": "small old brown quick tired white",
    "time": "today yesterday often sometimes always never",
}
# what a sentence is made of: a word of a class, or a word as it stands
SENTENCES = [
    "person eats flavour food",
    "person eats the flavour food time",
    "time person drinks flavour drink",
    "person drinks the flavour drink",
    "the look animal moves to the place",
    "a look animal moves past the place time",
    "person moves to the place",
    "person and person moved with the look animal",
    "time the look animal eats the food",
    "the drink of person is flavour",
    "the look animal of person is at the place",
]
WINDOW = 2
COLORS = BLUE, ORANGE, GREEN, RED, PURPLE, SKY


def make_text(n_sentences, seed=0):
    """Sentences as lists of words; CLASSES has the words of each class."""
    rng = np.random.RandomState(seed)
    words = {name: members.split() for name, members in CLASSES.items()}
    return [
        [words[w][rng.randint(len(words[w]))] if w in words else w for w in pattern.split()]
        for pattern in (SENTENCES[i] for i in rng.randint(len(SENTENCES), size=n_sentences))
    ]


def pairs_of(text, number):
    """Each word with each neighbour that is at most WINDOW places away, as numbers of words."""
    pairs = []
    for sentence in text:
        ids = [number[w] for w in sentence]
        for i, word in enumerate(ids):
            around = ids[max(0, i - WINDOW) : i] + ids[i + 1 : i + 1 + WINDOW]
            pairs.extend((word, other) for other in around)
    return np.array(pairs, dtype="int32")


def neighbours(vectors, k=1):
    """For each row the k rows of the smallest angle to it."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit.dot(unit.T)
    np.fill_diagonal(cosine, -np.inf)
    return np.argsort(-cosine, axis=1)[:, :k]


def main(n_epochs=8, n_sentences=2000, size=16, n_drawn=5, batch_size=100, rate=0.05, quiet=False):
    text = make_text(n_sentences)
    flat = [w for sentence in text for w in sentence]
    vocabulary, counts = np.unique(flat, return_counts=True)
    vocabulary = vocabulary.tolist()
    number = {word: i for i, word in enumerate(vocabulary)}
    pairs = pairs_of(text, number)
    # words to draw from: often used ones more often, but less so than in the text
    share = counts**0.75
    table = np.repeat(np.arange(len(counts)), np.ceil(1000 * share / share.sum()).astype(int))

    rng = np.random.RandomState(1)
    draws = MRG_RandomStreams(rng.randint(2**30))
    floats = theano.config.floatX
    started = ((rng.rand(len(counts), size) - 0.5) / size).astype(floats)
    vectors = theano.shared(started, name="vectors")
    contexts = theano.shared(np.zeros_like(started), name="contexts")
    table = theano.shared(table.astype("int32"), name="table")
    data = theano.shared(pairs, name="pairs")

    chosen = T.lvector("chosen")
    word, near = data[chosen, 0], data[chosen, 1]
    position = draws.uniform((chosen.shape[0], n_drawn)) * table.shape[0]
    far = table[T.cast(position, "int64")]
    rows, near_rows, far_rows = vectors[word], contexts[near], contexts[far]
    near_score = (rows * near_rows).sum(axis=1)
    far_score = (rows.dimshuffle(0, "x", 1) * far_rows).sum(axis=2)
    cost = T.nnet.softplus(-near_score).sum() + T.nnet.softplus(far_score).sum()

    # the gradient with respect to the rows taken, not to the tables; a row taken twice adds up
    g_rows, g_near, g_far = T.grad(cost, [rows, near_rows, far_rows])
    step = np.asarray(rate, dtype=floats)
    moved = T.inc_subtensor(near_rows, -step * g_near)
    updates = [
        (vectors, T.inc_subtensor(rows, -step * g_rows)),
        (contexts, T.inc_subtensor(moved[far], -step * g_far)),
    ]
    train = theano.function([chosen], cost / chosen.shape[0], updates=updates)

    def epoch(_):
        order = rng.permutation(len(pairs))
        batches = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
        return np.mean([train(batch) for batch in batches])

    losses = learn("word vectors", n_epochs, epoch, quiet)
    class_of = {w: name for name, members in CLASSES.items() for w in members.split()}
    at = np.array([i for i, w in enumerate(vocabulary) if w in class_of])
    words = [vocabulary[i] for i in at]
    found = vectors.get_value()[at]
    nearest = [words[i] for (i,) in neighbours(found)]
    return {
        "losses": {"word vectors": losses},
        "words": words,
        "classes": [class_of[w] for w in words],
        "vectors": found,
        "nearest": dict(zip(words, nearest)),
        "same class": float(np.mean([class_of[w] == class_of[n] for w, n in zip(words, nearest)])),
        "text": text,
    }


def draw(results, path):
    """The words in the plane, and the cosine of the angle between each two of them."""
    from sklearn.manifold import TSNE

    order = np.argsort([list(CLASSES).index(c) for c in results["classes"]], kind="stable")
    vectors, classes = results["vectors"][order], np.array(results["classes"])[order]
    points = TSNE(metric="cosine", perplexity=12, random_state=0).fit_transform(vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    with canvas(path, height=350) as figure:
        left, right = figure.subplots(1, 2)
        for i, name in enumerate(CLASSES):
            color, mine = COLORS[i % len(COLORS)], points[classes == name]
            left.plot(*mine.T, "os^"[i // len(COLORS)], ms=4, color=color)
            x, y = mine[:, 0].mean(), mine[:, 1].max()
            left.text(x, y + 1, name, color=color, ha="center")
        left.set(xticks=[], yticks=[], title="66 words in the plane, by t-SNE")
        left.spines[:].set_visible(False)
        left.margins(0.15)

        image = right.imshow(unit.dot(unit.T), vmin=0, vmax=1, cmap="Blues")
        middles = [np.flatnonzero(classes == name).mean() for name in CLASSES]
        right.set(yticks=middles, yticklabels=list(CLASSES), xticks=[], title="cosine of two words")
        right.tick_params(length=0)
        figure.colorbar(image, ax=right, shrink=0.7)


if __name__ == "__main__":
    run(main, __doc__, draw)
