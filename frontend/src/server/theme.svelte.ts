// Colours of the tokens for canvases, which must be drawn again when the theme changes.
class Colours {
  /** Counts the changes of theme; a drawing that reads it is made again. */
  turn = $state(0);

  readonly #pen = document.createElement("canvas").getContext("2d")!;

  constructor() {
    for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => (this.turn += 1));
    const watch = new MutationObserver(() => (this.turn += 1));
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  token(name: string): string {
    void this.turn;
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888888";
  }

  /** One of six colours; a seventh series has the first again and must differ by its dashes. */
  series(index: number): string {
    return this.token(`series-${(index % 6) + 1}`);
  }

  rgb(name: string): [number, number, number] {
    // A pen turns any colour that CSS knows into #rrggbb.
    this.#pen.fillStyle = this.token(name);
    const number = parseInt(String(this.#pen.fillStyle).slice(1), 16);
    return [number >> 16, (number >> 8) & 255, number & 255];
  }

  /** 256 colours from the paper to full strength of a token. */
  ramp(to: string): Uint8ClampedArray {
    const [from, full] = [this.rgb("paper"), this.rgb(to)];
    const table = new Uint8ClampedArray(256 * 4);
    for (let i = 0; i < 256; i++) {
      for (let c = 0; c < 3; c++) table[4 * i + c] = from[c]! + ((full[c]! - from[c]!) * i) / 255;
      table[4 * i + 3] = 255;
    }
    return table;
  }
}

export const colours = new Colours();
