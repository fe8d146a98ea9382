"""LeNet and recurrent nets in PyTorch: its functions of images, its modules of sequences."""

import torch
import torch.nn.functional as F


def lenet_loss(params, x, t):
    w1, b1, w2, b2, w3, b3, w4, b4 = params
    h = torch.tanh(F.max_pool2d(F.conv2d(x, w1), 2) + b1[:, None, None])
    h = torch.tanh(F.max_pool2d(F.conv2d(h, w2), 2) + b2[:, None, None])
    h = torch.tanh(h.flatten(1) @ w3 + b3)
    return F.cross_entropy(h @ w4 + b4, t)


def recurrent(kind, w, u, b):
    """The loss of what a module with these parameters makes, and the parameters.

    It keeps matrices transposed, and a second bias, which stays zero.
    """
    module = KINDS[kind](w.shape[0], u.shape[0])
    given = {"weight_ih_l0": w.T, "weight_hh_l0": u.T, "bias_ih_l0": b}
    for name, value in given.items():
        getattr(module, name).data = torch.tensor(value.copy())
    module.bias_hh_l0.data.zero_()
    module.bias_hh_l0.requires_grad_(False)
    params = [getattr(module, name) for name in given]

    def loss(params, x):
        made, _ = module(x)
        return (made**2).mean()

    return loss, params


def rnn_without_bias(w, u):
    """A module with these matrices, in their dtype; it keeps them transposed."""
    module = torch.nn.RNN(w.shape[0], u.shape[0], bias=False)
    module.weight_ih_l0.data = torch.tensor(w.T.copy())
    module.weight_hh_l0.data = torch.tensor(u.T.copy())
    return module


KINDS = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
