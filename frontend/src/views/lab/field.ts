// Fields of a form: what was typed is held to the type and the range of the setting, with a sentence where it is not.
import type { Field } from "../../server/documents";
import { number } from "../../server/words";

export type Typed = string | boolean;

export function typed(value: unknown): Typed {
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.join(", ");
  return value === null || value === undefined ? "" : String(value);
}

/** The ends of a field's range in words: "from 1 to 100". */
export function range(field: Field): string {
  if (field.said) return field.said;
  const [low, high] = [number(field.low), number(field.high)];
  if (Number.isFinite(low) && Number.isFinite(high)) return `from ${low} to ${high}`;
  if (Number.isFinite(low)) return `of at least ${low}`;
  return Number.isFinite(high) ? `of at most ${high}` : "";
}

/** What a field takes, in words: "a whole number from 1 to 9", "numbers of at least 0, separated by commas". */
export function wanted(field: Field): string {
  const kind = field.type ?? "text";
  const [list, bare] = [kind.startsWith("list of "), kind.replace("list of ", "")];
  if (bare !== "whole" && bare !== "number") return "";
  const words = `${list ? "" : "a "}${bare === "whole" ? "whole " : ""}number${list ? "s" : ""} ${range(field)}`.trim();
  return list ? `${words}, separated by commas` : words;
}

function one(kind: string, field: Field, text: string): { value: unknown } | { wrong: string } {
  if (kind !== "whole" && kind !== "number") return { value: text };
  const value = Number(text);
  const give = `Give ${wanted(field)}`;
  if (text === "" || Number.isNaN(value)) return { wrong: `${give}; this is ${text ? `“${text}”` : "empty"}.` };
  if (kind === "whole" && !Number.isInteger(value)) return { wrong: `${give}; ${text} is not whole.` };
  if (value < number(field.low) || value > number(field.high)) return { wrong: `${give}; ${text} is outside.` };
  return { value };
}

/** The value that was typed, or a sentence that says what is wanted. */
export function read(field: Field, given: Typed): { value: unknown } | { wrong: string } {
  if (typeof given === "boolean") return { value: given };
  const text = given.trim();
  if (text === typed(field.value)) return { value: field.value };
  if (text === "" && field.optional) return { value: null };
  const kind = field.type ?? "text";
  if (!kind.startsWith("list of ")) return one(kind, field, text);
  const parts = text.split(",").map((part) => one(kind.slice(8), field, part.trim()));
  const wrong = parts.find((part) => "wrong" in part);
  return wrong ?? { value: parts.map((part) => ("value" in part ? part.value : null)) };
}
