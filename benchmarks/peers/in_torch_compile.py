"""The programs of ``in_torch``, through ``torch.compile``; its C++ needs a compiler."""

import in_torch
import torch
from in_torch import *  # noqa: F403

in_torch.prepared = torch.compile


def versions() -> dict[str, str]:
    return {"PyTorch": f"{torch.__version__}, torch.compile"}
