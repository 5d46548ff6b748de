"use strict";
(() => {
  const root = document.documentElement;
  const nonce = document.currentScript.nonce;
  const byId = (id) => document.getElementById(id);

  // Base 85 as Python writes it, but for two characters: a comma and a full stop stand for what HTML would take for its own
  const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=>?@^_`{|}~";
  const bytesOf = (text) => {
    const values = new Uint8Array(128);
    Array.from(DIGITS).forEach((digit, value) => { values[digit.charCodeAt(0)] = value; });
    const groups = Math.ceil(text.length / 5);
    const bytes = new Uint8Array(4 * groups);
    const view = new DataView(bytes.buffer);
    for (let group = 0; group < groups; group += 1) {
      let number = 0;
      for (let at = 5 * group; at < 5 * group + 5; at += 1) number = 85 * number + (at < text.length ? values[text.charCodeAt(at)] : 84);
      view.setUint32(4 * group, number);
    }
    return bytes.subarray(0, bytes.length - (5 * groups - text.length));
  };
  const inflate = async (id) => {
    const bytes = bytesOf(byId(id).textContent);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };
  const data = inflate("data").then(JSON.parse);

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  // Filters and sorting
  const table = byId("run-table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const form = byId("filters");
  const kernel = (row) => byId(decodeURIComponent(row.querySelector("a").hash.slice(1))).dataset.kernel;
  const words = new Map(rows.map((row) => [row, `${row.textContent} ${kernel(row)} ${row.dataset.more || ""}`.toLowerCase()]));

  const COLUMNS = { family: 1, kind: 2, phase: 3 };

  const matches = (row, wanted) => {
    const text = (wanted.get("text") || "").toLowerCase().split(/\s+/);
    if (!text.every((word) => words.get(row).includes(word))) return false;
    if (wanted.get("unexpected") && row.dataset.unexpected === undefined) return false;
    const tag = wanted.get("tag");
    if (tag && !(row.dataset.tag || "").split(" ").includes(tag)) return false;
    if (wanted.get("verdict") && row.dataset.verdict !== wanted.get("verdict")) return false;
    return Object.entries(COLUMNS).every(([key, at]) => !wanted.get(key) || row.cells[at].textContent === wanted.get(key));
  };
  const filter = () => {
    const wanted = new FormData(form);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !matches(row, wanted);
      if (!row.hidden) shown += 1;
    }
    byId("shown").textContent = `${shown} of ${rows.length} runs`;
  };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));

  for (const button of document.querySelectorAll("button[data-family]")) {
    button.addEventListener("click", () => {
      form.reset();
      form.elements.family.value = button.dataset.family;
      filter();
      byId("runs").scrollIntoView();
      form.elements.text.focus({ preventScroll: true });
    });
  }

  const headers = Array.from(table.tHead.rows[0].cells);
  headers.forEach((header, column) => {
    const button = element("button", header.textContent, "sort");
    button.type = "button";
    header.replaceChildren(button);
    const number = header.dataset.number !== undefined;
    const value = (row) => {
      const cell = row.cells[column];
      const text = cell.dataset.value || cell.textContent;
      return number ? Number(text) : text;
    };
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of headers) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return sign * (number ? x - y : x < y ? -1 : x > y ? 1 : 0);
      });
      body.append(...rows);
    });
  });

  // The section of a target, with its sources, when it is opened: what it holds was escaped when the page was written
  const listing = (file, text, marks, wanted, symbols, first = 1) => {
    const block = element("pre", undefined, "source");
    block.tabIndex = 0;
    block.setAttribute("role", "group");
    block.setAttribute("aria-label", `Source of ${file}`);
    let goal = null;
    text.replace(/\n$/, "").split("\n").forEach((line, index) => {
      const number = index + first;
      const [kind, said] = marks[number] || [];
      const span = element("span", undefined, kind ? `mark ${kind}` : "");
      span.append(element("span", `${String(number).padStart(5)} ${symbols[kind] || " "} `, "n"), line);
      if (kind) span.append(element("span", `   ${said}`, "note"));
      const grave = kind && kind !== "proved" && kind !== "assumed";
      if ((grave && !(goal && goal.dataset.grave)) || (!goal && line.startsWith(`def ${wanted}(`))) goal = span;
      if (grave) span.dataset.grave = "";
      block.append(span, "\n");
    });
    return [block, goal];
  };
  const fill = async (place) => {
    const anchor = place.dataset.anchor;
    place.removeAttribute("data-anchor");
    const { targets, sources, symbols } = await data;
    const entry = targets[anchor];
    place.innerHTML = entry.html;
    if (!entry.marks) return;
    if (entry.code) {
      place.append(element("h3", `The target, ${entry.code_place}`));
      const name = `the target, ${entry.code_place}`;
      place.append(listing(name, entry.code, entry.marks[entry.harness] || {}, "", symbols, entry.code_line)[0]);
    }
    for (const file of new Set([entry.file, ...Object.keys(entry.marks)])) {
      if (!sources[file] || file === entry.harness) continue;
      place.append(element("h3", file));
      const [block, goal] = listing(file, sources[file], entry.marks[file] || {}, entry.function, symbols);
      place.append(block);
      if (goal) block.scrollTop = goal.offsetTop - block.offsetTop - 60;
    }
    for (const [title, text] of Object.entries(entry.lowered)) {
      const program = element("details");
      const code = element("pre", text, "source");
      code.tabIndex = 0;
      code.setAttribute("role", "group");
      code.setAttribute("aria-label", `What ESBMC is given, ${title}`);
      program.append(element("summary", `What ESBMC is given, ${title}`), code);
      place.append(program);
    }
  };
  document.addEventListener(
    "toggle",
    (event) => {
      const place = event.target.querySelector(":scope > .content[data-anchor]");
      if (event.target.open && place) fill(place);
    },
    true,
  );

  // Deep links
  const follow = () => {
    const goal = byId(decodeURIComponent(location.hash.slice(1)));
    if (!goal) return;
    const details = goal.closest("details");
    if (!details) return;
    details.open = true;
    goal.scrollIntoView();
    const summary = details.querySelector("summary");
    summary.focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    // The same link a second time changes no hash.
    if (link && link.getAttribute("href") === location.hash) setTimeout(follow);
  });
  follow();

  // Light and dark
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : scheme.matches);
  const switcher = byId("theme");
  const label = () => { switcher.textContent = isDark() ? "Light" : "Dark"; };
  // Pages opened from disk may not be allowed to store anything.
  try { if (localStorage.nkiverifyTheme) root.dataset.theme = localStorage.nkiverifyTheme; } catch { /* not kept */ }
  switcher.hidden = false;
  switcher.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.nkiverifyTheme = root.dataset.theme; } catch { /* not kept */ }
    label();
    draw();
  });
  scheme.addEventListener("change", () => { label(); draw(); });
  label();

  // Figures
  const PALETTES = {
    light: { embedded: "#0969da", other: "#8250df", predecessor: "#bc4c00", pass: "#1a7f37", mismatch: "#cf222e", refuted: "#0969da",
      quiet: "#8c959f", rung0: "#0969da", rung1: "#1a7f37", rung2: "#bc4c00", rung3: "#8250df", rung4: "#57606a" },
    dark: { embedded: "#58a6ff", other: "#bc8cff", predecessor: "#f0883e", pass: "#3fb950", mismatch: "#ff7b72", refuted: "#58a6ff",
      quiet: "#6e7681", rung0: "#58a6ff", rung1: "#3fb950", rung2: "#f0883e", rung3: "#bc8cff", rung4: "#8b949e" },
  };
  const SYMBOLS = { embedded: "circle", other: "square", predecessor: "cross-thin-open" };
  let plotting = false;
  const draw = async () => {
    if (!plotting) return;
    const { figures } = await data;
    const palette = PALETTES[isDark() ? "dark" : "light"];
    const style = getComputedStyle(root);
    const colour = (name) => style.getPropertyValue(name).trim();
    for (const [id, figure] of Object.entries(figures)) {
      const place = byId(`figure-${id}`);
      const traces = figure.data.map((trace) => ({
        ...trace,
        marker: { color: palette[trace.meta], symbol: SYMBOLS[trace.meta], size: 6 },
        line: { color: palette[trace.meta] },
      }));
      const axes = {};
      for (const name of ["xaxis", "yaxis", "yaxis2"]) {
        if (figure.layout[name] || name !== "yaxis2")
          axes[name] = { gridcolor: colour("--rule"), zerolinecolor: colour("--rule"), ...figure.layout[name] };
      }
      if (axes.yaxis2) axes.yaxis2.showgrid = false;
      const layout = { ...figure.layout, ...axes, font: { color: colour("--ink") }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
      await Plotly.react(place, traces, layout, { displayModeBar: false, responsive: true });
    }
    root.dataset.drawn = "true";
  };
  const start = async () => {
    if (plotting) return;
    const library = element("script", await inflate("plotly"));
    library.nonce = nonce;
    document.head.append(library);
    plotting = true;
    await draw();
  };
  // The library is large: nobody waits for it who does not look at the figures.
  new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) start(); }, { rootMargin: "400px" })
    .observe(document.querySelector(".figures"));
  window.addEventListener("beforeprint", start);
})();
