// A view as a custom element: a shadow root with the view's styles, fed by one document.
import { mount, unmount, type Component } from "svelte";

import tokens from "../../src/regard/lab/book/templates/tokens.css?inline";
import { Client } from "./server/client.svelte";
import type { Document } from "./server/documents";
import plot from "uplot/dist/uPlot.min.css?inline";
import base from "./styles/base.css?inline";

export interface Feed<T extends Document> {
  /** The document shown where no server is asked. */
  doc: T | null;
  client: Client | null;
  /** Where in the view one is: "run/ID", "experiment/NAME", … */
  place: string;
}

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

let shared: CSSStyleSheet | undefined;

/** The page around the views may have the tokens already; a notebook has not. */
function bringTokens(): void {
  if (getComputedStyle(document.documentElement).getPropertyValue("--series-1")) return;
  document.adoptedStyleSheets.push(sheet(tokens));
}

/** Register `tag`: attribute or property `document` is a JSON object, or the id of a script that holds one. */
export function define<T extends Document>(tag: string, view: Component<Feed<T>>, styles: string): void {
  if (customElements.get(tag)) return;
  let own: CSSStyleSheet | undefined;

  class View extends HTMLElement {
    static observedAttributes = ["document", "server", "place"];
    #feed: Feed<T> = $state({ doc: null, client: null, place: "" });
    #mounted: Record<string, unknown> | undefined;

    constructor() {
      super();
      bringTokens();
      shared ??= sheet(plot + base);
      own ??= sheet(styles);
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [shared, own];
    }

    connectedCallback(): void {
      this.#mounted ??= mount(view, { target: this.shadowRoot!, props: this.#feed });
    }

    disconnectedCallback(): void {
      if (this.#mounted) void unmount(this.#mounted);
      this.#mounted = undefined;
    }

    attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
      if (name === "document") this.document = value;
      if (name === "server") this.server = value;
      if (name === "place") this.place = value ?? "";
    }

    get document(): T | null {
      return this.#feed.doc;
    }

    set document(given: T | string | null) {
      const text = typeof given === "string" ? document.getElementById(given)?.textContent : null;
      this.#feed.doc = typeof given === "string" ? (text ? JSON.parse(text) : null) : given;
    }

    get server(): Client | null {
      return this.#feed.client;
    }

    set server(given: Client | string | null) {
      this.#feed.client = typeof given === "string" ? new Client(given) : given;
    }

    get place(): string {
      return this.#feed.place;
    }

    set place(given: string) {
      this.#feed.place = given;
    }
  }
  customElements.define(tag, View);
}
