// Two files of code: views.js holds every custom element and works alone; app.js adds the page around them.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

import { licences } from "./licences.ts";

export default defineConfig({
  base: "./",
  plugins: [
    // Trees are built node by node: nothing in the built files parses HTML from a string.
    svelte({ compilerOptions: { fragments: "tree", css: "external" } }),
    licences(),
  ],
  build: {
    outDir: "../src/regard/web/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: true,
    rollupOptions: {
      input: { app: "index.html", views: "src/views.ts" },
      preserveEntrySignatures: "allow-extension",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
