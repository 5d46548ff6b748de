"use strict";
(() => {
  const root = document.documentElement;
  const nonce = document.currentScript.nonce;
  const byId = (id) => document.getElementById(id);

  // Compressed, in base 64
  const inflate = async (id) => {
    const bytes = Uint8Array.from(atob(byId(id).textContent), (letter) => letter.charCodeAt(0));
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
  const listing = (file, lines, marks, wanted, symbols, first = 1) => {
    const block = element("pre", undefined, "source");
    block.tabIndex = 0;
    block.setAttribute("role", "group");
    block.setAttribute("aria-label", `Source of ${file}`);
    let goal = null;
    lines.forEach((line, index) => {
      const number = index + first;
      const [kind, said] = marks[number] || [];
      const span = element("span", undefined, kind ? `mark ${kind}` : "");
      // Escaped and coloured when the page was written
      const code = element("span", undefined, "code");
      code.innerHTML = line;
      span.append(element("span", `${String(number).padStart(5)} ${symbols[kind] || " "} `, "gutter"), code);
      if (said) span.title = said;
      if (kind) span.append(element("span", `   ${said}`, "note"));
      const grave = kind && !["proved", "assumed", "live", "stored"].includes(kind);
      if ((grave && !(goal && goal.dataset.grave)) || (!goal && code.textContent.startsWith(`def ${wanted}(`))) goal = span;
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
    copyable(place);
    if (!entry.marks) return;
    // The kernel is what a reader came for: it stands before the phases
    const kept = place.querySelector(".sources");
    for (const file of new Set([entry.file, ...Object.keys(entry.marks)])) {
      if (!sources[file] || file === entry.harness) continue;
      const [block, goal] = listing(file, sources[file], entry.marks[file] || {}, entry.function, symbols);
      kept.append(element("h3", file), block);
      if (goal) block.scrollTop = goal.offsetTop - block.offsetTop - 60;
    }
    if (entry.code.length) {
      const name = `the target, ${entry.code_place}`;
      const domain = element("details");
      domain.append(element("summary", `The target, ${entry.code_place}`));
      domain.append(listing(name, entry.code, entry.marks[entry.harness] || {}, "", symbols, entry.code_line)[0]);
      kept.append(domain);
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

  // Copy buttons beside commands and witnesses
  const copyable = (place) => {
    for (const source of place.querySelectorAll(".copied")) {
      const button = element("button", "copy", "copy");
      button.type = "button";
      button.setAttribute("aria-label", `Copy ${source.textContent}`);
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      });
      source.after(button);
    }
  };
  copyable(document);

  // What changed, since the session that is chosen
  const since = byId("since");
  if (since) {
    const choose = () => {
      for (const part of document.querySelectorAll(".since")) part.hidden = part.id !== `since-${since.firstElementChild.value}`;
    };
    since.hidden = false;
    since.addEventListener("change", choose);
    choose();
  }

  // Search: targets, contracts and files, each leading to its place
  const palette = byId("palette");
  const hits = byId("hits");
  const query = palette.querySelector("input");
  const contracts = async () => {
    const table = document.createElement("template");
    table.innerHTML = (await data).targets["all-contracts"].html;
    return Array.from(table.content.querySelectorAll("tr[id]"), (row) => [row.id, row.cells[0].textContent, "contract", row.cells[1].textContent]);
  };
  const places = async () => [
    ...Array.from(document.querySelectorAll("details.target"), (one) => [one.id, one.querySelector("strong").textContent, "target", one.dataset.kernel]),
    ...Array.from(document.querySelectorAll("#kernels ~ .tree li[id]"), (one) => [one.id, one.dataset.file, "file", ""]),
    ...(await contracts()),
  ];
  let entries = null;
  let chosen = 0;
  const show = () => {
    const wanted = query.value.toLowerCase().split(/\s+/);
    const found = entries.filter(([, name, kind, more]) => wanted.every((word) => `${name} ${kind} ${more}`.toLowerCase().includes(word)));
    chosen = 0;
    hits.replaceChildren(...found.slice(0, 12).map(([id, name, kind, more], at) => {
      const hit = element("li", undefined, "hit");
      hit.id = `hit-${at}`;
      hit.setAttribute("role", "option");
      hit.dataset.goal = id;
      hit.append(element("strong", name), element("small", ` ${kind} ${more}`));
      return hit;
    }));
    mark();
  };
  const mark = () => {
    Array.from(hits.children).forEach((hit, at) => hit.setAttribute("aria-selected", String(at === chosen)));
    if (hits.children.length) query.setAttribute("aria-activedescendant", `hit-${chosen}`);
    else query.removeAttribute("aria-activedescendant");
  };
  const go = (hit) => {
    palette.close();
    if (!hit) return;
    if (location.hash === `#${hit.dataset.goal}`) follow();
    else location.hash = hit.dataset.goal;
  };
  const search = async () => {
    entries = entries || (await places());
    query.value = "";
    show();
    palette.showModal();
    query.focus();
  };
  byId("find").hidden = false;
  byId("find").addEventListener("click", search);
  query.addEventListener("input", show);
  query.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      chosen = Math.max(0, Math.min(hits.children.length - 1, chosen + (event.key === "ArrowDown" ? 1 : -1)));
      mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(hits.children[chosen]);
    } else if (event.key === "Escape") {
      // A field for searches would only be emptied
      event.preventDefault();
      palette.close();
    }
  });
  hits.addEventListener("click", (event) => go(event.target.closest("li")));
  let at = -1;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || palette.open || event.target.closest("input, select, textarea")) return;
    if (event.key === "/") {
      event.preventDefault();
      search();
    } else if (event.key === "j" || event.key === "k") {
      const findings = document.querySelectorAll(".finding");
      if (!findings.length) return;
      at = Math.max(0, Math.min(findings.length - 1, at + (event.key === "j" ? 1 : -1)));
      findings[at].scrollIntoView();
      findings[at].focus({ preventScroll: true });
    }
  });

  // Deep links
  const follow = async () => {
    const id = decodeURIComponent(location.hash.slice(1));
    // A phase stands in the section of its target, a contract among all of them: filled in when they are opened
    const outer = id.startsWith("contract-") ? byId("all-contracts") : byId(id.replace(/-phase-\d+$/, ""));
    if (outer && !byId(id)) {
      const place = outer.querySelector(":scope > .content[data-anchor]");
      if (place) await fill(place);
    }
    const goal = byId(id);
    if (!goal) return;
    for (let details = goal.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
    goal.scrollIntoView();
    const details = goal.closest("details");
    if (details) details.querySelector("summary").focus({ preventScroll: true });
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
    light: { embedded: "#0969da", pass: "#1a7f37", mismatch: "#cf222e", rung0: "#0969da", rung1: "#1a7f37", rung2: "#bc4c00", rung3: "#8250df", rung4: "#57606a" },
    dark: { embedded: "#58a6ff", pass: "#3fb950", mismatch: "#ff7b72", rung0: "#58a6ff", rung1: "#3fb950", rung2: "#f0883e", rung3: "#bc8cff", rung4: "#8b949e" },
  };
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
        marker: { color: palette[trace.meta], size: 6 },
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
  // The library is large: nobody waits for it who does not look at the figures, and few targets have none
  if (!byId("plotly")) return;
  new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) start(); }, { rootMargin: "400px" })
    .observe(document.querySelector(".figures"));
  window.addEventListener("beforeprint", start);
})();
