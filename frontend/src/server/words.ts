// Numbers, times and tokens as people read them.
import type { Num } from "./documents";

export function number(value: unknown): number {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return NaN;
}

/** Three or four digits that matter. */
export function digits(value: Num | undefined, many = 3): string {
  const x = number(value);
  if (Number.isNaN(x)) return value === "nan" ? "NaN" : "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return minus(String(x));
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return minus(x.toExponential(many - 1));
  return minus(String(Number(x.toPrecision(Math.max(many, Math.ceil(Math.log10(size + 1)))))));
}

export function minus(text: string): string {
  return text.replace(/^-/, "−").replace("e-", "e−").replace("e+", "e");
}

export function percent(value: Num | undefined): string {
  const x = 100 * number(value);
  if (Number.isNaN(x)) return "–";
  return x > 0 && x < 0.1 ? "< 0.1 %" : `${x >= 99.95 ? "100" : x.toFixed(1)} %`;
}

export function many(value: number | undefined): string {
  if (value === undefined || value === null) return "–";
  if (value >= 1e9) return `${digits(value / 1e9)} G`;
  if (value >= 1e6) return `${digits(value / 1e6)} M`;
  if (value >= 1e4) return `${digits(value / 1e3)} k`;
  return String(value);
}

/** The ticks of an axis: as many digits as their step needs, and one unit for all. Without a step (a logarithmic axis) each stands for itself. */
export function ticks(places: (number | null)[], step: number | null): string[] {
  const most = Math.max(0, ...places.map((place) => Math.abs(place ?? 0)));
  const [unit, word] = most >= 1e9 ? [1e9, " G"] : most >= 1e6 ? [1e6, " M"] : most >= 1e4 ? [1e3, " k"] : [1, ""];
  const written = (place: number) => {
    if (place === 0) return "0";
    if (!step) return digits(place / unit) + word;
    if (most < 1e-3) return minus(place.toExponential(after(step / 10 ** Math.floor(Math.log10(Math.abs(place) * (1 + 1e-9))))));
    return minus((place / unit).toFixed(after(step / unit))) + word;
  };
  return places.map((place) => (place === null ? "" : written(place)));
}

/** How many digits after the point a step needs: 0.025 needs three. */
function after(step: number): number {
  for (let many = 0; many < 12; many++) if (Math.abs(step * 10 ** many - Math.round(step * 10 ** many)) < 1e-6) return many;
  return 12;
}

export function duration(seconds: number | undefined | null): string {
  if (seconds === undefined || seconds === null || !Number.isFinite(seconds)) return "–";
  if (seconds < 1) return "under 1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${digits(seconds / 60, 2)} min`;
  return `${digits(seconds / 3600, 2)} h`;
}

/** A moment, given in seconds since 1970 or as a date in ISO's form. */
export function moment(when: string | number | undefined | null): string {
  if (when === undefined || when === null || when === "") return "–";
  const date = new Date(typeof when === "number" ? when * 1000 : when);
  if (Number.isNaN(date.getTime())) return String(when);
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** A token so that spaces and line ends are seen. */
export function visible(token: string): string {
  return token.replaceAll(" ", "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥") || "∅";
}

export function plain(value: unknown): string {
  if (typeof value === "number") return digits(value, 4);
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The paragraphs of a text that was written with line ends and indents of its own. */
export function paragraphs(text: string | undefined | null): string[] {
  return (text ?? "").split(/\n\s*\n/).map((part) => part.replace(/\s+/g, " ").trim()).filter(Boolean);
}

/** A text that begins as a sentence does; what begins with a name of code, such as q or c_attn, keeps it. */
export function capital(text: string): string {
  return /^(a|[a-z][a-z-]+)([\s,:;.]|$)/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

export function count(howMany: number, one: string, several = `${one}s`): string {
  return `${howMany} ${howMany === 1 ? one : several}`;
}
