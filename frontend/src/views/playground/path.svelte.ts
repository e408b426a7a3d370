// A path through the model's text: the prompt's tokens, then one step after the other, each with its distribution.
import { troubleOf, type Client } from "../../server/client.svelte";
import type { Candidate, NextDocument, TokenEvent, Trouble } from "../../server/documents";
import { asked, type Sampling } from "./sampler";

export interface Step {
  id: number;
  token: string;
  p: number;
  distribution: Candidate[];
}

export class Path {
  ids = $state.raw<number[]>([]);
  promptTokens = $state.raw<string[]>([]);
  steps = $state.raw<Step[]>([]);
  /** The distribution after the last token. */
  next = $state.raw<NextDocument | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  speaking = $state(false);
  reason = $state("");
  #stop: AbortController | undefined;

  get all(): number[] {
    return [...this.ids, ...this.steps.map((step) => step.id)];
  }

  /** Ask for the distribution after a prompt: a new path begins. */
  async begin(client: Client, model: string, text: string, sampling: Sampling, signal: AbortSignal): Promise<void> {
    const next = await this.#next(client, { model, text, ...asked(sampling) }, signal);
    if (!next) return;
    this.steps = [];
    this.reason = "";
    this.ids = next.ids ?? [];
    this.promptTokens = next.tokens ?? [];
  }

  /** Ask for the exact distribution where the path ends. */
  async refresh(client: Client, model: string, sampling: Sampling, signal?: AbortSignal): Promise<void> {
    await this.#next(client, { model, ids: this.all, ...asked(sampling) }, signal);
  }

  /** Take a token at a step, and forget what came after. */
  take(at: number, candidate: Candidate): void {
    const distribution = at < this.steps.length ? this.steps[at]!.distribution : (this.next?.distribution ?? []);
    this.steps = [...this.steps.slice(0, at), { id: candidate.id, token: candidate.token, p: Number(candidate.p), distribution }];
    this.next = null;
    this.reason = "";
  }

  async speak(client: Client, model: string, tokens: number, seed: number, sampling: Sampling): Promise<void> {
    this.#stop = new AbortController();
    this.speaking = true;
    this.trouble = null;
    this.reason = "";
    try {
      const ask = { model, ids: this.all, tokens, seed, ...asked(sampling) };
      for await (const event of client.stream<TokenEvent>("/api/generate", ask, this.#stop.signal)) {
        if (event.kind === "token") {
          this.steps = [...this.steps, { id: event.id, token: event.token, p: Number(event.p), distribution: event.distribution ?? [] }];
          this.next = null;
        } else if (event.kind === "end") this.reason = event.reason ?? "";
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.trouble = troubleOf(error);
    }
    this.speaking = false;
    await this.refresh(client, model, sampling);
  }

  stop(): void {
    this.#stop?.abort();
  }

  async #next(client: Client, ask: object, signal?: AbortSignal): Promise<NextDocument | null> {
    try {
      this.next = await client.post<NextDocument>("/api/next", ask, signal);
      this.trouble = null;
      return this.next;
    } catch (error) {
      if (!signal?.aborted) this.trouble = troubleOf(error);
      return null;
    }
  }
}
