// Attention weights as they come: half floats in base64, [layers, heads, n, n] in row-major order.
import type { AttentionDocument } from "../../server/documents";

let halves: Float32Array | undefined;

/** The value of each of the 65,536 half floats. */
function table(): Float32Array {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    if (exponent === 31) halves[bits] = fraction ? NaN : sign * Infinity;
    else halves[bits] = sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  }
  return halves;
}

export class Weights {
  readonly #all: Float32Array;

  constructor(readonly layers: number, readonly heads: number, readonly n: number, all: Float32Array) {
    this.#all = all;
  }

  /** The weights of a document; null where they are missing or of another size than it says. */
  static of(doc: AttentionDocument): Weights | null {
    try {
      const text = atob(doc.weights);
      const size = doc.layers * doc.heads * doc.n * doc.n;
      if (text.length !== 2 * size) return null;
      const [lookup, all] = [table(), new Float32Array(size)];
      for (let i = 0; i < size; i++) all[i] = lookup[text.charCodeAt(2 * i) | (text.charCodeAt(2 * i + 1) << 8)]!;
      return new Weights(doc.layers, doc.heads, doc.n, all);
    } catch {
      return null;
    }
  }

  head(layer: number, head: number): Float32Array {
    const size = this.n * this.n;
    const start = (layer * this.heads + head) * size;
    return this.#all.subarray(start, start + size);
  }
}

/** A matrix of at most `side` rows and columns; each cell holds the largest weight of those that it stands for. */
export function shrunk(values: Float32Array, n: number, side: number): { values: Float32Array; n: number } {
  if (n <= side) return { values, n };
  const small = new Float32Array(side * side);
  for (let i = 0; i < n; i++) {
    const row = Math.floor((i * side) / n) * side;
    for (let j = 0; j < n; j++) {
      const at = row + Math.floor((j * side) / n);
      const value = values[i * n + j]!;
      if (value > small[at]!) small[at] = value;
    }
  }
  return { values: small, n: side };
}
