// Load an exported function of an image, compiled to WebAssembly, as a function of an array.

const ALIGNED = 16;

export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const { memory, digit, digit_sizes, __heap_base, _initialize } = instance.exports;
  _initialize?.();

  // Memory behind the module's own is free, and grows by pages of 64 kB.
  let free = __heap_base.value;
  const room = (size) => {
    const start = Math.ceil(free / ALIGNED) * ALIGNED;
    free = start + size;
    const missing = free - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    return start;
  };
  const [image, probabilities, sizes] = [room(64 * 4), room(10 * 4), room(8)];
  digit_sizes(image, sizes);
  const scratch = room(Number(new BigInt64Array(memory.buffer, sizes, 1)[0]));
  const given = new Float32Array(memory.buffer, image, 64);
  const found = new Float32Array(memory.buffer, probabilities, 10);

  return (pixels) => {
    given.set(pixels);
    const code = digit(image, probabilities, scratch);
    if (code !== 0) throw new Error(`digit stopped with code ${code}`);
    return Array.from(found);
  };
}
