"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (selector) => document.querySelector(selector);
  // Text from the program is only ever set as text.
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "onclick") element.addEventListener("click", value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
    return element;
  }
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const number = (n) => Math.round(n).toLocaleString("en");
  const percent = (x) => (100 * x).toFixed(1) + "%";
  const nests = new Map(data.nests.map((nest) => [nest.id, nest]));

  function theme() {
    const stored = () => { try { return localStorage.getItem("orthant-theme"); } catch { return null; } };
    const apply = (name) => { if (name) document.documentElement.dataset.theme = name; };
    apply(stored());
    $("#theme").addEventListener("click", () => {
      const now = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      const next = now === "dark" ? "light" : "dark";
      apply(next);
      try { localStorage.setItem("orthant-theme", next); } catch { /* not kept */ }
    });
  }

  function head() {
    const profile = data.profile, totals = profile.totals, how = profile.collection;
    document.title = data.program + ": Orthant profile";
    $("#program").textContent = (data.program + " " + data.arguments).trim();
    const share = totals.instructions ? totals.instructions_in_loops / totals.instructions : 0;
    const unit = how.sampled ? " samples" : " instructions";
    $("#facts").textContent = number(totals.instructions) + unit + ", " + percent(share) + " in " + number(profile.nests) + " loop nests, " +
      number(totals.threads) + (totals.threads === 1 ? " thread" : " threads") + ", observed in " + how.seconds.toFixed(1) + " s";
    $("#how").textContent = "Observed in one run, not proved of others. " + (how.emulator || "") + ". Integer values: " + (how.values || "none") +
      ". Folding: " + (how.mode || "none") + ". Suggestions are explained in " + data.documentation + ".";
    const list = [...profile.warnings.map((w) => [w.message, w.id]), ...data.advice.notes.map((n) => [n, ""])];
    if (!list.length) return;
    $("#warnings").hidden = false;
    $("#warnings ul").append(...list.map(([text, id]) => h("li", {}, text + " ", id ? h("span", { class: "tag" }, id) : null)));
  }

  function card(s) {
    const place = s.lines.length ? s.lines.map((l) => l.file.split("/").pop() + ":" + l.line).join(", ") : "nest " + s.nest;
    return h("button", { type: "button", class: "card" + (s.possible ? "" : " forbidden"), "data-nest": s.nest, onclick: () => select(s.nest, true) },
      h("span", { class: "bar", style: "width:" + Math.max(1, Math.min(100, 100 * s.gain)) + "%" }),
      h("div", {}, h("span", { class: "gain" }, percent(s.gain)), h("span", { class: "id" }, s.id)), h("small", {}, place), h("span", {}, s.message));
  }

  function advice() {
    const possible = data.advice.suggestions.filter((s) => s.possible), forbidden = data.advice.suggestions.filter((s) => !s.possible);
    const cards = $("#advice .cards");
    if (!possible.length) cards.append(h("p", { class: "none" }, "None: " + (data.profile.collection.survey ? "a survey records no dependences." : "nothing worth a line was found.")));
    cards.append(...possible.slice(0, 9).map(card));
    const more = (title, list) => list.length && $("#advice").append(
      h("details", { class: "more" }, h("summary", {}, title + " (" + list.length + ")"), h("div", { class: "cards" }, list.map(card))));
    more("More", possible.slice(9));
    more("Not possible, and why", forbidden);
  }

  function flame() {
    const graph = $("#flame .graph"), root = data.flame;
    let deepest = 0;
    (function place(node, left, width, depth) {
      deepest = Math.max(deepest, depth);
      const share = root.cost ? node.cost / root.cost : 0;
      const label = node.name + " " + percent(share);
      graph.append(h("button", {
        type: "button", class: "box " + node.kind, role: "treeitem", "aria-level": depth + 1, "aria-selected": "false",
        title: label + ", " + number(node.cost), "data-nest": node.nest,
        style: "left:" + left + "%;width:" + Math.max(width, 0.05) + "%;top:" + depth * 1.65 + "rem",
        onclick: () => { if (node.nest !== null) select(node.nest, true); },
      }, width > 2 ? label : ""));
      let at = left;
      for (const child of node.children) {
        const own = node.cost ? width * Math.min(1, child.cost / node.cost) : 0;
        place(child, at, own, depth + 1);
        at += own;
      }
    })(root, 0, 100, 0);
    graph.style.height = (deepest + 1) * 1.65 + "rem";
  }

  const distance = (list) => "(" + list.map((d) => (d === null ? "*" : d)).join(", ") + ")";
  const exactness = (exact) => h("span", { class: exact ? "exact" : "over" }, exact ? "exact" : "over-approximated");
  function table(head, rows, all, what) {
    if (!rows.length) return h("p", { class: "none" }, "No " + what + ".");
    const cut = all > rows.length ? h("p", { class: "hint" }, "The first " + rows.length + " of " + all + "; the JSON report has all.") : null;
    return h("div", {}, h("div", { class: "scroll", tabindex: 0 }, h("table", {}, h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col", class: t.startsWith("#") ? "number" : null }, t.replace("#", ""))))), h("tbody", {}, rows))), cut);
  }
  const cell = (text, kind) => h("td", { class: kind }, text);

  function loops(nest) {
    return table(["loop", "where", "#entered", "#iterations", "#per entry", "#instructions"], nest.loops.map((l) => h("tr", {},
      cell("\u00a0\u00a0".repeat(l.depth) + l.name), cell(l.place || ""), cell(number(l.entries), "number"), cell(number(l.iterations), "number"),
      cell(l.entries ? (l.iterations / l.entries).toFixed(1) : "", "number"), cell(number(l.instructions), "number"))), nest.loops.length, "loops");
  }

  function source(nest) {
    if (!nest.source.length) return h("p", { class: "none" }, "No source lines: compile with -g.");
    return nest.source.map((file) => {
      const most = Math.max(1, ...file.lines.map((l) => l[2]));
      let last = null;
      const lines = file.lines.flatMap(([n, text, cost]) => {
        const gap = last !== null && n > last + 1 ? [h("div", { class: "gap" }, "      ...")] : [];
        last = n;
        const heat = cost ? "background:rgba(var(--heat)," + (0.06 + 0.34 * cost / most).toFixed(2) + ")" : null;
        return [...gap, h("div", { style: heat }, h("span", { class: "n" }, String(n)), h("span", { class: "c" }, cost ? number(cost) : ""), text)];
      });
      return h("div", {}, h("p", { class: "hint" }, file.file + (file.missing ? " (not found; only the lines with a cost are listed)" : "")), h("pre", { class: "source", tabindex: 0 }, lines));
    });
  }

  function suggestion(s) {
    const items = [...s.needs.map((n) => "needs " + n), ...s.obstacles.map((o) => "because " + o.message + (o.exact ? "" : " (over-approximated)"))];
    if (s.possible && s.over_approximated) items.push("some dependences are over-approximated; it holds for these, too");
    const half = (title, lines) => h("div", {}, h("strong", {}, title), h("pre", { tabindex: 0 }, lines.join("\n")));
    return h("div", { class: "suggestion" + (s.possible ? "" : " forbidden") },
      h("div", {}, h("strong", {}, percent(s.gain) + " "), s.message + " ", h("span", { class: "tag" }, s.id)),
      items.length ? h("ul", {}, items.map((text) => h("li", {}, text))) : null,
      s.possible && s.after.length ? h("div", { class: "sketch" }, half("before", s.before), half("after (sketch)", s.after)) : null);
  }

  function shape(p) {
    const size = 150, [[y0, y1], [x0, x1]] = p.bounds;
    const X = (x) => 14 + (x1 > x0 ? (x - x0) / (x1 - x0) : 0.5) * size, Y = (y) => 14 + (y1 > y0 ? (y - y0) / (y1 - y0) : 0.5) * size;
    const there = p.outline.map(([y, from]) => X(from) + "," + Y(y)), back = p.outline.map(([y, , to]) => X(to) + "," + Y(y)).reverse();
    return svg("svg", { viewBox: "0 0 178 186", role: "img", "aria-label": "The whole domain" },
      svg("polygon", { class: "shape", points: [...there, ...back].join(" ") }),
      text(14, 10, String(x0)), text(164, 10, String(x1), "end"), text(2, 24, String(y0)), text(2, 164, String(y1)),
      text(89, 181, "the whole domain, " + (p.exact ? "exact" : "over-approximated"), "middle"));
  }
  function text(x, y, content, anchor) { const t = svg("text", { x, y, "text-anchor": anchor || "start" }); t.textContent = content; return t; }

  let marker = 0;
  function grid(p) {
    const ys = p.points.map((q) => q[0]), xs = p.points.map((q) => q[1]);
    const y0 = Math.min(...ys), x0 = Math.min(...xs), step = 13, id = "head" + marker++;
    const X = (x) => 18 + (x - x0) * step, Y = (y) => 18 + (y - y0) * step;
    const arrows = p.arrows.map(([[sy, sx, ty, tx], exact]) => {
      const dx = X(tx) - X(sx), dy = Y(ty) - Y(sy), length = Math.hypot(dx, dy) || 1, cut = 3.5 / length;
      const bend = length > 1.6 * step ? 0.12 : 0;
      const mx = (X(sx) + X(tx)) / 2 - dy * bend, my = (Y(sy) + Y(ty)) / 2 + dx * bend;
      return svg("path", { class: "arrow" + (exact ? "" : " over"), "marker-end": "url(#" + id + ")",
        d: "M" + (X(sx) + dx * cut) + " " + (Y(sy) + dy * cut) + " Q" + mx + " " + my + " " + (X(tx) - dx * cut) + " " + (Y(ty) - dy * cut) });
    });
    const head = svg("marker", { id, viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 5, markerHeight: 5, orient: "auto" }, svg("path", { d: "M0 0L6 3L0 6z" }));
    return svg("svg", { viewBox: "0 0 178 186", role: "img", "aria-label": "The first iterations with their dependences" }, svg("defs", {}, head),
      ...p.points.map(([y, x]) => svg("circle", { class: "dot", cx: X(x), cy: Y(y), r: 1.8 })), ...arrows,
      text(18, 10, String(x0)), text(2, 22, String(y0)), text(89, 181, "the first iterations, " + p.arrows.length + " dependences", "middle"));
  }

  function pictures(nest) {
    if (!nest.pictures.length) return h("p", { class: "none" }, "No picture: no statements were recorded here.");
    const place = (id) => { const l = nest.loops.find((l) => l.id === id); return l ? l.place || l.name : ""; };
    return h("div", { class: "pictures" }, nest.pictures.flatMap((p) => {
      const down = p.loops[0] === null ? "" : "down: " + place(p.loops[0]) + ", ";
      let caption = down + "across: " + place(p.loops[1]);
      if (p.fixed.length) caption += "; loops outside fixed at " + p.fixed.join(", ");
      const more = p.elsewhere ? "; " + p.elsewhere + " dependences come from elsewhere" : "";
      return [h("figure", {}, shape(p), h("figcaption", {}, caption)), h("figure", {}, grid(p), h("figcaption", {}, "arrows go from where a value is made to where it is used" + more + (p.cut ? "; not complete" : "")))];
    }));
  }

  function accesses(nest) {
    return table(["where", "instruction", "", "#bytes", "#times", "stride per loop", "addresses", ""], nest.accesses.rows.map((a) => h("tr", {},
      cell(a.place), h("td", {}, h("code", {}, a.text)), cell(a.kind), cell(String(a.size), "number"), cell(number(a.instances), "number"),
      cell(distance(a.stride)), cell(a.address, "isl"), h("td", {}, exactness(a.exact)))), nest.accesses.all, "memory accesses");
  }
  function dependences(nest) {
    return table(["from", "to", "kind", "distance", "carried by", "relation, use to source", ""], nest.dependences.rows.map((d) => h("tr", {},
      cell(d.from), cell(d.to), cell(d.kind), cell(distance(d.distance)), cell(d.carried_by === null ? "no loop" : "dimension " + d.carried_by),
      cell(d.relation, "isl"), h("td", {}, exactness(d.exact)))), nest.dependences.all, "dependences");
  }

  function select(id, move) {
    const nest = nests.get(id);
    for (const box of document.querySelectorAll(".box")) box.setAttribute("aria-selected", String(box.dataset.nest === String(id)));
    const title = $("#nest h2"), body = $("#nest .body");
    body.replaceChildren();
    if (!nest) { title.textContent = "Nest " + id; body.append(h("p", { class: "none" }, "Too small for details; the JSON report has them.")); return; }
    title.textContent = "Nest: " + (nest.loops[0] ? nest.loops[0].name + " " + (nest.loops[0].place || "") : id) + ", " + percent(nest.share);
    const mine = data.advice.suggestions.filter((s) => s.nest === id);
    const section = (name, ...content) => body.append(h("h3", {}, name), ...content.flat());
    if (nest.context.length) body.append(h("p", { class: "hint" }, "called through " + nest.context.join(" \u203a ")));
    section("Loops", loops(nest));
    if (nest.recorded) {
      section("Suggestions", mine.length ? mine.map(suggestion) : h("p", { class: "none" }, "None for this nest."));
      section("Source", source(nest));
      section("Domain and dependences", pictures(nest));
      section("Strides", h("p", { class: "hint" }, "bytes from one iteration to the next, outermost loop first; * is irregular"), accesses(nest));
      section("Dependences", h("p", { class: "hint" }, nest.induction_dependences + " of induction variables are left out"), dependences(nest));
      section("Over-approximated", nest.over_approximated.rows.length
        ? h("ul", {}, nest.over_approximated.rows.map((t) => h("li", {}, t)), nest.over_approximated.all > nest.over_approximated.rows.length ? h("li", {}, "and more") : null)
        : h("p", { class: "none" }, "Nothing: all that is shown is exactly what was observed."));
    } else {
      section("Details", h("p", { class: "none" }, "Only counted: statements, strides and dependences of this nest were not recorded."));
    }
    history.replaceState(null, "", "#nest-" + id);
    if (move) { $("#nest").scrollIntoView({ behavior: "auto", block: "start" }); $("#nest").focus({ preventScroll: true }); }
  }

  theme(); head(); advice(); flame();
  const wanted = /^#nest-(\d+)$/.exec(location.hash);
  const first = wanted ? Number(wanted[1]) : data.advice.suggestions.length ? data.advice.suggestions[0].nest : data.nests.length ? data.nests[0].id : null;
  if (first !== null) select(first, Boolean(wanted)); else $("#nest").hidden = true;
})();
