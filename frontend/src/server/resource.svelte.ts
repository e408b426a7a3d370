// A document that follows its address: asked for again when the address changes or the server comes back.
import { troubleOf, type Client } from "./client.svelte";
import type { Document, Trouble } from "./documents";

const BUSY = 3000;

export class Resource<T extends Document> {
  value = $state.raw<T | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  waiting = $state(false);
  #turn = $state(0);

  /** Must be made while a component is set up. Where `path` gives null, nothing is asked for. */
  constructor(client: () => Client | null, path: () => string | null) {
    let last: string | null = null;
    $effect(() => {
      const [server, address] = [client(), path()];
      void this.#turn;
      if (!server || address === null) return;
      void server.returns;
      if (address !== last) this.value = null;
      last = address;
      const stop = new AbortController();
      let later: ReturnType<typeof setTimeout>;
      this.waiting = true;
      server.get<T>(address, stop.signal).then(
        (value) => {
          this.value = value;
          this.trouble = null;
          this.waiting = false;
        },
        (error) => {
          if (stop.signal.aborted) return;
          this.trouble = troubleOf(error);
          this.waiting = false;
          if (this.trouble.status === 429) later = setTimeout(() => this.again(), BUSY);
        },
      );
      return () => {
        stop.abort();
        clearTimeout(later);
      };
    });
  }

  again(): void {
    this.#turn += 1;
  }
}
