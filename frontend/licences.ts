// LICENSES.txt: the licence of every package whose code is in the built files.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const PACKAGE = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/;

function text(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`no licence file in ${folder}`);
  return readFileSync(join(folder, file), "utf-8").replaceAll("\r\n", "\n").trim();
}

export function licences(): Plugin {
  return {
    name: "licences",
    generateBundle() {
      const folders = new Map<string, string>();
      for (const id of this.getModuleIds()) {
        const found = PACKAGE.exec(id.replace(/^\0/, ""));
        if (found && existsSync(found[1]!)) folders.set(found[2]!.replaceAll("\\", "/"), found[1]!);
      }
      const parts = [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, folder]) => {
        const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf-8"));
        return `${name} ${version}\n\n${text(folder)}\n`;
      });
      const head = "The built files in this folder hold code of these packages, under these licences.\n";
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: [head, ...parts].join(`\n${"-".repeat(72)}\n\n`) });
    },
  };
}
