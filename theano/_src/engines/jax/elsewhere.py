"""A program of its own that compiles exported programs for chips that need not be there.

    python elsewhere.py FOLDER

reads ``request.json`` and ``0.bin``, ``1.bin``, ... of a folder. It writes ``answer.json``, and for
each program ``0.hlo`` (XLA's text) and ``0.exe`` (jax's file of the compiled program). It imports
nothing of this package, so that the compilers may be in another environment of Python. They print
to stderr, take locks and read environment variables.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: TPUs: libtpu does not look for chips of this machine, and other processes may load it too
_TPU = {
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_ACCELERATOR_TYPE": "v5litepod-8",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
}
_QUIET = {
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_COMPILATION_CACHE": "false",
    "TPU_MIN_LOG_LEVEL": "3",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}

#: GPUs, as XLA describes them: products are not tuned, as that takes one
_GPU = """gpu_device_info {{
 threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152
 shared_memory_per_core: {core} threads_per_core_limit: 2048 core_count: {cores}
 fpus_per_core: {units} block_dim_limit_x: 2147483647 block_dim_limit_y: 65535
 block_dim_limit_z: 65535 memory_bandwidth: {bandwidth} l2_cache_size: {cache}
 clock_rate_ghz: {clock} device_memory_size: {memory} shared_memory_per_block_optin: {block}
 cuda_compute_capability {{ major: {major} }} registers_per_core_limit: 65536
 registers_per_block_limit: 65536 }}
platform_name: "CUDA" dnn_version_info {{ major: 9 minor: 10 }}
runtime_version {{ major: 12 minor: 9 }} device_description_str: "{name}"
"""
_GPUS = {
    "h100": _GPU.format(
        core=233472, cores=132, units=128, bandwidth=3352320000000, cache=52428800, clock="1.98",
        memory=84978434048, block=232448, major=9, name="NVIDIA H100 80GB HBM3",
    ),
    "a100": _GPU.format(
        core=167936, cores=108, units=64, bandwidth=2039000000000, cache=41943040, clock="1.41",
        memory=85197717504, block=166912, major=8, name="NVIDIA A100-SXM4-80GB",
    ),
}  # fmt: skip


def arranged(lengths: dict[str, int], devices: Sequence[Any]) -> Any:
    """Devices as jax's mesh with axes of these lengths, neighbours next to each other."""
    import jax
    from jax.experimental.mesh_utils import create_device_mesh

    # NOTE: with the default axis type every operation would have to state its result's sharding
    auto = (jax.sharding.AxisType.Auto,) * len(lengths)
    shape = tuple(lengths.values())
    try:
        return jax.make_mesh(shape, tuple(lengths), axis_types=auto, devices=devices)
    except NotImplementedError:
        # no axis of the mesh is a product of whole axes of the torus
        grid = create_device_mesh(shape, devices, allow_split_physical_axes=True)
        return jax.sharding.Mesh(grid, tuple(lengths), axis_types=auto)


def main(folder: Path) -> None:
    """Compile the programs of a folder."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    os.environ.update(_QUIET)
    flags = os.environ.get("XLA_FLAGS", "")
    kind, shape = request["kind"], request["shape"]
    if kind == "cpu":
        flags += f" --xla_force_host_platform_device_count={shape[0]}"
    elif kind in _GPUS:
        flags = f"--xla_gpu_autotune_level=0 {flags}"
    else:
        os.environ.update(_TPU)
    os.environ["XLA_FLAGS"] = flags
    devices = _devices(kind, shape)
    axes = request["axes"]
    mesh = None if axes is None else arranged(axes, devices)
    answers = []
    for number, program in enumerate(request["programs"]):
        try:
            answers.append(_compiled(folder, number, program, devices, mesh))
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
    (folder / "answer.json").write_text(json.dumps(answers), encoding="utf-8")


def _devices(kind: str, shape: Sequence[int]) -> list[Any]:
    import jax
    from jax.experimental.topologies import get_topology_desc

    if kind == "cpu":
        return list(jax.devices("cpu"))
    lengths = "x".join(map(str, shape))
    if kind not in _GPUS:
        return list(get_topology_desc(platform="tpu", topology_name=f"{kind}:{lengths}").devices)
    name = f"1x{lengths}"  # slices, hosts, GPUs of a host
    config = {"target_config": _GPUS[kind], "topology": name}
    return list(get_topology_desc(platform="cuda", topology_name=name, **config).devices)


def _compiled(
    folder: Path, number: int, program: dict[str, Any], devices: list[Any], mesh: Any
) -> dict[str, Any]:
    import jax
    from jax import export

    exported = export.deserialize(bytearray((folder / f"{number}.bin").read_bytes()))
    if mesh is None:
        alone = jax.sharding.SingleDeviceSharding(devices[0])
        given: list[Any] = [alone] * len(exported.in_avals)
        # a program without arguments has no other device
        options: dict[str, Any] = {"out_shardings": (alone,) * len(exported.out_avals)}
    else:
        given = list(exported.in_shardings_jax(mesh))
        options = {"out_shardings": tuple(exported.out_shardings_jax(mesh))}

    def call(*args: Any) -> Any:
        return tuple(exported.call(*args))

    with jax.enable_x64(True):
        args = [
            jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=s)
            for a, s in zip(exported.in_avals, given, strict=True)
        ]
        jitted = jax.jit(call, donate_argnums=tuple(program["donate"]), **options)
        compiled = jitted.lower(*args).compile(program["options"])
    (folder / f"{number}.hlo").write_text(compiled.as_text(), encoding="utf-8")
    _keep(compiled, folder / f"{number}.exe")
    memory = compiled.memory_analysis()
    return {
        name: int(getattr(memory, f"{there}_in_bytes", 0) or 0)
        for name, there in (
            ("arguments", "argument_size"),
            ("results", "output_size"),
            ("reused", "alias_size"),
            ("temporaries", "temp_size"),
        )
    }


def _keep(compiled: Any, path: Path) -> None:
    from jax.experimental.serialize_executable import serialize

    try:
        path.write_bytes(serialize(compiled)[0])
    except Exception as error:
        print(f"{path.name} is not written: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
