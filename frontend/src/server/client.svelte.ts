// The one way to the server: documents by GET and POST, events by streams, and word of a server that is gone.
import type { Document, Trouble } from "./documents";

/** What the server refused, or why it did not answer, in three lines: what, got, fix. */
export class Refusal extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.what);
  }
}

const LONGEST = 30;
const REFUSED = 5000;
const GONE: Trouble = {
  what: "The server does not answer.",
  got: "no connection",
  fix: "Start it again with: regard serve",
};

export function troubleOf(error: unknown): Trouble {
  return error instanceof Refusal ? error.trouble : { what: "Something went wrong in the page.", got: String(error) };
}

export class Client {
  /** Whether the last word from the server was silence. */
  gone = $state(false);
  /** Seconds until the server is tried again. */
  wait = $state(0);
  /** Whether the server that answers is another one than gave this page its key. */
  locked = $state(false);
  /** Counts the times the server came back: what was shown before is asked for again. */
  returns = $state(0);

  constructor(readonly base = "") {}

  get<T extends Document>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#ask(path, { signal: signal ?? null }).then(read<T>);
  }

  post<T extends Document>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.#send(path, body, signal).then(read<T>);
  }

  /** The events that answer a POST, each a document. */
  async *stream<T extends Document>(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<T> {
    const answer = await this.#send(path, body, signal);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const parts = (rest + value.replaceAll("\r", "")).split("\n\n");
        rest = parts.pop()!;
        for (const part of parts) {
          const lines = part.split("\n").filter((line) => line.startsWith("data:"));
          if (lines.length) {
            const event = JSON.parse(lines.map((line) => line.slice(5)).join("\n"));
            if (event.kind === "error") throw new Refusal(event);
            yield event;
          }
        }
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /**
   * Listen to a stream of events; the browser takes it up again where it broke. Gives the way to stop.
   * A ninth page is refused: until a place is free it is told now and then to look for itself.
   */
  listen<T extends Document>(path: string, on: (event: T) => void): () => void {
    let source: EventSource;
    let later: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(this.base + path);
      source.onmessage = (message) => on(JSON.parse(message.data));
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) return;
        later = setTimeout(open, REFUSED);
        this.get("/api/models").then(
          () => on({ kind: "lab-change", version: 1 } as T),
          () => {},
        );
      };
    };
    open();
    return () => {
      clearTimeout(later);
      source.close();
    };
  }

  /** Try the server now. */
  async probe(): Promise<void> {
    try {
      const answer = await fetch(`${this.base}/api/models`, { credentials: "same-origin" });
      this.locked = answer.status === 401;
      this.#found();
    } catch {
      this.wait = Math.min(LONGEST, 2 * Math.max(1, this.#last));
      this.#last = this.wait;
    }
  }

  #last = 0;
  #clock: ReturnType<typeof setInterval> | undefined;

  #send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const headers = { "Content-Type": "application/json" };
    return this.#ask(path, { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null });
  }

  async #ask(path: string, request: RequestInit): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(this.base + path, { credentials: "same-origin", ...request });
    } catch (error) {
      if (request.signal?.aborted) throw error;
      this.#lost();
      throw new Refusal(GONE);
    }
    if (this.gone) this.#found();
    this.locked = answer.status === 401;
    if (!answer.ok) throw new Refusal(await refusal(answer));
    return answer;
  }

  #lost(): void {
    if (this.gone) return;
    this.gone = true;
    this.wait = this.#last = 1;
    this.#clock = setInterval(() => {
      this.wait -= 1;
      if (this.wait === 0) void this.probe();
    }, 1000);
  }

  #found(): void {
    clearInterval(this.#clock);
    this.#last = 0;
    if (this.gone) this.returns += 1;
    this.gone = false;
  }
}

async function read<T>(answer: Response): Promise<T> {
  return answer.json();
}

async function refusal(answer: Response): Promise<Trouble> {
  const told = await answer.json().catch(() => null);
  if (told?.what) return { ...told, status: answer.status };
  if (answer.status === 401)
    return {
      what: "This page has no key to the server.",
      got: "401",
      fix: "Open the address that regard serve printed: it ends in ?token=…",
      status: 401,
    };
  return { what: "The server refused this.", got: `status ${answer.status}`, status: answer.status };
}
