// Files made in the page: a picture, a table, or a page that holds a view and its document.
import type { Document } from "../server/documents";

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function csv(rows: (string | number)[][]): Blob {
  const cell = (value: string | number) => {
    if (typeof value === "number") return String(value);
    // A spreadsheet would run a text that begins like a formula.
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return `"${text.replaceAll('"', '""')}"`;
  };
  return new Blob([rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" });
}

const LOOK = ["fill", "stroke", "stroke-width", "opacity", "font", "text-anchor", "paint-order"];

/** A drawing as a picture, with the look that the page's styles give it. */
export async function picture(drawing: SVGSVGElement, width: number, height: number): Promise<Blob | null> {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const parts = drawing.querySelectorAll<SVGElement>("*");
  copy.querySelectorAll<SVGElement>("*").forEach((part, i) => LOOK.forEach((name) => part.style.setProperty(name, getComputedStyle(parts[i]!).getPropertyValue(name))));
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
  pen.fillRect(0, 0, width, height);
  pen.drawImage(image, 0, 0, width, height);
  return new Promise((done) => canvas.toBlob(done));
}

/** One page that shows the document without a server: the code of the views is in it. */
export async function page(tag: string, title: string, shown: Document): Promise<Blob> {
  const code = await (await fetch(new URL(/* @vite-ignore */ "./views.js", import.meta.url))).text();
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";
  const safe = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const data = JSON.stringify(shown).replaceAll("<", "\\u003c");
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${safe(title)}</title>
<style>body{margin:0 auto;max-width:75rem;padding:1rem;background:var(--paper)}</style></head><body>
<${tag} document="shown"></${tag}>
<script type="application/json" id="shown">${data}</script>
<script type="module">${code.replaceAll("</script", "<\\/script")}</script></body></html>
`;
  return new Blob([text], { type: "text/html" });
}
