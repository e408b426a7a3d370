"use strict";
/* Search in all pages, and the choice of light or dark. Nothing is fetched: the index is a script beside this one. */
(() => {
  const SIGNS = { "√": " sqrt ", "σ": " sigma ", "μ": " mu ", "λ": " lambda ", "π": " pi ", "φ": " phi ", "α": " alpha ", "β": " beta ", "·": " ", "−": "-", "²": "2" };
  const fold = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[√σμλπφαβ·−²]/g, (sign) => SIGNS[sign]).toLowerCase();
  const form = document.getElementById("search");
  const input = document.getElementById("search-words");
  const list = document.getElementById("search-found");
  const root = form.dataset.root;
  const rows = REGARD_INDEX.map(([path, title, group, text]) => ({ path, title, group, text, head: fold(title), body: fold(group + " " + text) }));
  const MOST = 12;

  const score = (row, words) => {
    let sum = 0;
    for (const word of words) {
      const inHead = row.head.includes(word), inBody = row.body.includes(word);
      if (!inHead && !inBody) return 0;
      sum += (inHead ? 4 : 0) + (inBody ? 1 : 0);
    }
    return sum + (row.path.includes("#") ? 0 : 2);
  };
  const around = (row, word) => {
    const place = fold(row.text).indexOf(word);
    if (place < 0 || !row.text) return row.group;
    const start = place > 40 ? row.text.indexOf(" ", place - 40) + 1 : 0;
    return (start ? "… " : "") + row.text.slice(start, place + 70) + " …";
  };
  const show = () => {
    list.replaceChildren();
    const words = fold(input.value).split(/\s+/).filter(Boolean);
    if (!words.length) return;
    const found = rows.map((row) => [score(row, words), row]).filter(([sum]) => sum).sort((a, b) => b[0] - a[0]).slice(0, MOST);
    for (const [, row] of found) {
      const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
      link.href = root + row.path;
      link.textContent = row.title;
      small.textContent = around(row, words[0]);
      link.append(small);
      item.append(link);
      list.append(item);
    }
    if (!found.length) {
      const item = document.createElement("li"), said = document.createElement("p");
      said.textContent = "Nothing speaks of that.";
      item.append(said);
      list.append(item);
    }
  };
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => { event.preventDefault(); const first = list.querySelector("a"); if (first) first.click(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape" && document.activeElement === input) { input.value = ""; show(); }
  });
  form.hidden = false;

  const THEMES = ["system", "light", "dark"];
  const kept = () => { try { return localStorage.getItem("regard-theme") || "system"; } catch { return "system"; } };
  const button = document.createElement("button");
  const wear = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
    button.textContent = "Colours: " + theme;
  };
  button.type = "button";
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || "system") + 1) % THEMES.length];
    try { localStorage.setItem("regard-theme", next); } catch { /* a private window keeps nothing */ }
    wear(next);
  });
  wear(kept());
  document.querySelector(".top").append(button);
})();
