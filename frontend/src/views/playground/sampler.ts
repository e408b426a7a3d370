// Temperature, then top-k, top-p and min-p, each on what the one before has left: as regard's Sampler does it.
import type { Candidate } from "../../server/documents";
import { number } from "../../server/words";

export interface Sampling {
  temperature: number;
  /** 0: off. */
  top_k: number;
  /** 1: off. */
  top_p: number;
  /** 0: off. */
  min_p: number;
}

/** What the server is told: a rule that is off is null. */
export function asked(sampling: Sampling): Record<string, number | null> {
  const { temperature, top_k, top_p, min_p } = sampling;
  return { temperature, top_k: top_k || null, top_p: top_p < 1 ? top_p : null, min_p: min_p || null };
}

export interface Cut {
  /** Probability of each candidate after all rules, 0 where it was cut. */
  after: number[];
  kept: number;
  /** Whether tokens beyond the candidates could change the result: then these are close, not exact. */
  close: boolean;
}

/** The candidates, most probable first, cut by the rules; what lies beyond them counts as one lump of small tokens. */
export function cut(candidates: Candidate[], vocabulary: number, sampling: Sampling): Cut {
  const p = candidates.map((one) => Math.max(0, number(one.p)) || 0);
  if (!p.length) return { after: [], kept: 0, close: false };
  if (sampling.temperature === 0) return { after: p.map((_, i) => (i === 0 ? 1 : 0)), kept: 1, close: false };
  const rest = Math.max(0, 1 - p.reduce((a, b) => a + b, 0));
  const beyond = Math.max(0, vocabulary - p.length);
  const power = 1 / sampling.temperature;
  const hot = p.map((x) => (x / p[0]!) ** power);
  // As if all beyond were equally probable.
  const tail = beyond ? beyond * (rest / beyond / p[0]!) ** power : 0;
  const limit = sampling.top_k || Infinity;
  const some = hot.map((x, i) => (i < limit ? x : 0));
  const open = limit > p.length ? tail : 0;
  const total = some.reduce((a, b) => a + b, 0) + open;
  let before = 0;
  const left = some.map((x, i) => {
    const share = x / total;
    const stays = i === 0 || (x > 0 && (sampling.top_p >= 1 || before < sampling.top_p) && share >= (sampling.min_p * some[0]!) / total);
    before += share;
    return stays ? share : 0;
  });
  const reaches = open > 0 && left.at(-1)! > 0;
  const sum = left.reduce((a, b) => a + b, 0) + (reaches ? open / total : 0);
  const kept = left.filter((x) => x > 0).length + (reaches ? beyond : 0);
  return { after: left.map((x) => x / sum), kept, close: open > 1e-3 * total };
}
