"use strict";
// Draws the graphs of #data. Places come from Python; here they only give way to what is opened.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const NS = "http://www.w3.org/2000/svg";
  const GAP = 12, HEAD = 20, FOOT = 12;
  const READABLE = 0.4;
  const MANY = 1500; // shapes that "open all" may show
  const opened = new Set(); // paths of ops that show what they hold
  const moved = new Map(); // path -> [dx, dy], by dragging
  const renamed = new Map(); // path -> label
  const drawn = new Map(); // path -> {group, shape, level}
  let view = { x: 0, y: 0, k: 1 };

  const svgTag = (name, attributes, parent) => {
    const tag = document.createElementNS(NS, name);
    for (const key in attributes) tag.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(tag);
    return tag;
  };
  const tag = (name, attributes, parent, text) => {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  };

  // ---- places -------------------------------------------------------------------------------

  // How much further a coordinate moves when ranges [start, length, more] grow.
  const grown = (ranges, c) => {
    let more = 0;
    for (const [start, length, extra] of ranges) {
      more += extra * Math.min(1, Math.max(0, (c - start) / length));
    }
    return c + more;
  };

  // A graph with places for all that is open in it: everything keeps its order, nothing overlaps.
  const arranged = (number, path) => {
    const graph = data.graphs[number];
    const across = [], bands = new Map(), inside = new Map();
    for (const shape of graph.shapes) {
      const me = path + shape.id;
      if (!shape.inner || !opened.has(me)) continue;
      const [x, y, w, h] = shape.at;
      let wide = GAP, high = 0;
      const parts = shape.inner.map((n, i) => {
        const part = arranged(n, me + "/" + i + "/");
        part.left = wide;
        part.top = h + HEAD;
        wide += part.width + GAP;
        high = Math.max(high, part.height);
        return part;
      });
      const size = [Math.max(w, wide), h + HEAD + high + FOOT];
      inside.set(shape.id, { parts, size });
      across.push([x - w / 2, w, size[0] - w]);
      const band = bands.get(y) || [y - h / 2, h, 0];
      band[0] = Math.min(band[0], y - h / 2);
      band[1] = Math.max(band[1], h);
      band[2] = Math.max(band[2], size[1] - h);
      bands.set(y, band);
    }
    const down = [...bands.values()];
    const shapes = graph.shapes.map((shape) => {
      const [x, y, w, h] = shape.at;
      const open = inside.get(shape.id);
      const [dx, dy] = moved.get(path + shape.id) || [0, 0];
      const place = { shape, path: path + shape.id, x: grown(across, x) + dx, y: grown(down, y) + dy };
      [place.w, place.h] = open ? open.size : [w, h];
      place.parts = open ? open.parts : [];
      return place;
    });
    const arrows = graph.arrows.map((arrow) => {
      const route = [];
      for (let i = 0; i < arrow.route.length; i += 2) {
        route.push([grown(across, arrow.route[i]), grown(down, arrow.route[i + 1])]);
      }
      const from = shapes[arrow.from], to = shapes[arrow.to];
      return { arrow, from, to, route: attached(route, arrow.route, from, to) };
    });
    const width = grown(across, graph.size[0] + 1) - 1, height = grown(down, graph.size[1] + 1) - 1;
    return { graph, shapes, arrows, width, height };
  };

  // The route with its ends where they were on their shapes. A shape beside an open one stands in the
  // middle of a higher layer: inside it the edge goes straight, or it would cross the open one.
  const attached = (route, raw, from, to) => {
    const fix = (isStart, place) => {
      const i = isStart ? 0 : route.length - 1, at = isStart ? 0 : raw.length - 2;
      const [x, y, w, h] = place.shape.at;
      const [dx, dy] = moved.get(place.path) || [0, 0];
      const endX = place.x - dx + ((raw[at] - x) * place.w) / w;
      const endY = place.y - dy + ((raw[at + 1] - y) * place.h) / h;
      const near = route[isStart ? 1 : i - 1];
      near[0] += endX - route[i][0];
      route[i][0] = endX;
      if (Math.abs(endY - route[i][1]) > 0.5) {
        const half = (endY + route[i][1]) / 2, more = [[endX, half], [endX, half], [endX, endY]];
        isStart ? route.unshift(...more.reverse()) : route.push(...more);
      }
      const ends = isStart ? [0, 1] : [route.length - 1, route.length - 2];
      for (const k of ends) route[k] = [route[k][0] + dx, route[k][1] + dy];
    };
    fix(true, from);
    fix(false, to);
    return route;
  };

  // ---- drawing ------------------------------------------------------------------------------

  const n = (c) => Math.round(c * 10) / 10;
  const curve = (route) => {
    const last = route[route.length - 1], before = route[route.length - 2];
    const far = Math.hypot(last[0] - before[0], last[1] - before[1]) || 1;
    const u = [(last[0] - before[0]) / far, (last[1] - before[1]) / far];
    const base = [last[0] - 7 * u[0], last[1] - 7 * u[1]];
    const chain = [...route.slice(0, -1), base];
    let line = "M" + n(chain[0][0]) + " " + n(chain[0][1]);
    for (let i = 1; i + 2 < chain.length; i += 3) {
      line += "C" + [0, 1, 2].map((j) => n(chain[i + j][0]) + " " + n(chain[i + j][1])).join(" ");
    }
    const side = [-3.6 * u[1], 3.6 * u[0]];
    const head = [last, [base[0] + side[0], base[1] + side[1]], [base[0] - side[0], base[1] - side[1]]];
    return [line, "M" + head.map((p) => n(p[0]) + " " + n(p[1])).join("L") + "Z"];
  };

  // A point of the last curve that is some way before its end.
  const beforeEnd = (route, away) => {
    const [a, b, c, d] = route.slice(-4);
    let p = d;
    for (let k = 1; k < 16 && Math.hypot(p[0] - d[0], p[1] - d[1]) < away; k++) {
      const s = k / 20, t = 1 - s;
      const f = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
      p = [0, 1].map((i) => f[0] * a[i] + f[1] * b[i] + f[2] * c[i] + f[3] * d[i]);
    }
    return p;
  };

  const drawArrow = (item, parent) => {
    const ends = { "data-source": item.from.path, "data-target": item.to.path };
    const group = svgTag("g", { class: "edge", ...ends }, parent);
    item.line = svgTag("path", { class: "line", stroke: item.arrow.colour }, group);
    item.head = svgTag("path", { fill: item.arrow.colour }, group);
    item.reach = svgTag("path", { class: "reach" }, group);
    if (item.arrow.info) svgTag("title", {}, group).textContent = item.arrow.info;
    if (item.arrow.label) {
      item.label = svgTag("text", { "font-size": 8.5 }, group);
      item.label.textContent = item.arrow.label;
    }
    item.group = group;
    placeArrow(item);
  };

  const placeArrow = (item) => {
    const [line, head] = curve(item.route);
    item.line.setAttribute("d", line);
    item.reach.setAttribute("d", line);
    item.head.setAttribute("d", head);
    if (!item.label) return;
    const end = item.route[item.route.length - 1];
    const at = beforeEnd(item.route, item.arrow.label.length < 3 ? 15 : 30);
    const left = at[0] > end[0] + 0.5;
    item.label.setAttribute("x", n(at[0] + (left ? -4 : 4)));
    item.label.setAttribute("y", n(at[1] + 2));
    item.label.setAttribute("text-anchor", left ? "end" : "start");
  };

  const drawShape = (place, parent, level) => {
    const { shape, w, h } = place;
    const known = "node " + shape.kind;
    const group = svgTag("g", { class: known, "data-node": place.path, tabindex: 0 }, parent);
    const open = place.parts.length > 0;
    const radius = open ? 10 : shape.form === "pill" ? Math.min(h / 2, 16) : 3;
    const paint = { fill: shape.fill, stroke: shape.stroke, "stroke-width": 1.2 };
    if (shape.dashed) paint["stroke-dasharray"] = "4 3";
    if (open) paint["fill-opacity"] = 0.45;
    svgTag("rect", { class: "outline", x: n(-w / 2), y: n(-h / 2), width: n(w), height: n(h), rx: radius, ...paint }, group);
    if (shape.heat) {
      const long = (w - 20) * Math.min(1, shape.heat);
      svgTag("rect", { x: n(10 - w / 2), y: n(h / 2 - 4), width: n(long), height: 2.5, fill: "#ea580c" }, group);
    }
    const high = shape.texts.reduce((sum, t) => sum + t[1] + 3, 0);
    let y = open ? (shape.at[3] - high) / 2 - h / 2 : -high / 2;
    shape.texts.forEach(([text, size, ink, bold], i) => {
      y += size + 3;
      const style = { x: 0, y: n(y - 3.5), "text-anchor": "middle", "font-size": size, fill: ink };
      if (bold) style["font-weight"] = 600;
      svgTag("text", style, group).textContent = (i === 0 && renamed.get(place.path)) || text;
    });
    for (const part of place.parts) {
      const corner = [part.left - w / 2, part.top - h / 2];
      const title = { class: "title", x: n(corner[0] + part.width / 2), y: n(corner[1] - 6), "text-anchor": "middle", "font-size": 10 };
      svgTag("text", title, group).textContent = part.graph.title;
      const inner = svgTag("g", { transform: `translate(${n(corner[0])} ${n(corner[1])})` }, group);
      drawLevel(part, inner);
    }
    if (shape.inner) {
      const button = svgTag("g", { class: "switch", transform: `translate(${n(w / 2 - 4)} ${n(4 - h / 2)})` }, group);
      svgTag("circle", { r: 7.5 }, button);
      svgTag("path", { d: open ? "M-4 0h8" : "M-4 0h8M0 -4v8" }, button);
    }
    place.group = group;
    group.setAttribute("transform", `translate(${n(place.x)} ${n(place.y)})`);
    drawn.set(place.path, { group, place, level });
  };

  const drawLevel = (level, parent) => {
    const lines = svgTag("g", {}, parent);
    for (const item of level.arrows) drawArrow(item, lines);
    for (const place of level.shapes) drawShape(place, parent, level);
  };

  const footer = tag("footer", { "aria-label": "Legend" });
  const svg = svgTag("svg", { class: "graph" });
  const stage = svgTag("g", {}, svg);
  let top = null;
  const draw = () => {
    stage.replaceChildren();
    drawn.clear();
    top = arranged(0, "");
    drawLevel(top, stage);
    search();
  };

  // ---- looking around -----------------------------------------------------------------------

  const show = () => stage.setAttribute("transform", `translate(${n(view.x)} ${n(view.y)}) scale(${view.k})`);
  const fit = () => {
    const box = svg.getBoundingClientRect();
    const room = [box.width - 60, box.height - footer.offsetHeight - 56];
    const k = Math.min(1.4, room[0] / (top.width + 1), room[1] / (top.height + 1));
    view = { k, x: (box.width - k * top.width) / 2, y: 24 + Math.max(0, (room[1] - k * top.height) / 2) };
    show();
  };
  // All of it, or of a large graph the first layers, at a size that can be read.
  const begin = () => {
    fit();
    if (view.k >= READABLE || !top.shapes.length) return;
    const first = top.shapes.reduce((a, b) => (b.y < a.y ? b : a));
    const box = svg.getBoundingClientRect();
    view = { k: 2 * READABLE, x: box.width / 2 - 2 * READABLE * first.x, y: 30 };
    show();
  };
  const zoom = (factor, x, y) => {
    const k = Math.min(8, Math.max(0.02, view.k * factor));
    view = { k, x: x - ((x - view.x) * k) / view.k, y: y - ((y - view.y) * k) / view.k };
    show();
  };
  const centre = (path) => {
    const box = svg.getBoundingClientRect(), own = drawn.get(path).group.getBoundingClientRect();
    view.x += box.left + box.width / 2 - (own.left + own.width / 2);
    view.y += box.top + box.height / 2 - (own.top + own.height / 2);
    show();
  };

  const toggle = (path) => {
    const before = drawn.get(path).group.querySelector(".outline").getBoundingClientRect();
    opened.has(path) ? opened.delete(path) : opened.add(path);
    draw();
    const after = drawn.get(path).group.querySelector(".outline").getBoundingClientRect();
    // what was opened stays under the pointer
    view.x += before.right - after.right;
    view.y += before.top - after.top;
    show();
  };
  const openAll = () => {
    for (let again = true; again && drawn.size < MANY; ) {
      again = false;
      for (const [path, { place }] of drawn) {
        if (place.shape.inner && !opened.has(path)) {
          opened.add(path);
          again = true;
        }
      }
      draw();
    }
    fit();
  };

  const nodeAt = (event) => {
    const found = event.target.closest && event.target.closest(".node");
    return found ? found.getAttribute("data-node") : null;
  };

  // Dragging: of the paper, or of a node with the ends of its edges.
  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    hideMenu();
    if (event.button !== 0) return;
    const path = event.target.closest(".switch") ? null : nodeAt(event);
    if (event.target.closest(".switch")) return;
    drag = { path, x: event.clientX, y: event.clientY, far: 0, from: moved.get(path) || [0, 0], view: { ...view } };
    if (path) drag.level = drawn.get(path).level;
    svg.setPointerCapture(event.pointerId);
    svg.classList.add("moving");
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return hover(event);
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    drag.far = Math.max(drag.far, Math.hypot(dx, dy));
    if (!drag.path) {
      view = { k: drag.view.k, x: drag.view.x + dx, y: drag.view.y + dy };
      return show();
    }
    if (drag.far < 4) return;
    hideTip();
    const was = moved.get(drag.path) || [0, 0];
    const now = [drag.from[0] + dx / view.k, drag.from[1] + dy / view.k];
    moved.set(drag.path, now);
    const { place, level, group } = drawn.get(drag.path);
    const step = [now[0] - was[0], now[1] - was[1]];
    place.x += step[0];
    place.y += step[1];
    group.setAttribute("transform", `translate(${n(place.x)} ${n(place.y)})`);
    for (const item of level.arrows) {
      const ends = [];
      if (item.from === place) ends.push(0, 1);
      if (item.to === place) ends.push(item.route.length - 1, item.route.length - 2);
      for (const i of ends) item.route[i] = [item.route[i][0] + step[0], item.route[i][1] + step[1]];
      if (ends.length) placeArrow(item);
    }
  });
  svg.addEventListener("pointerup", () => {
    drag = null;
    svg.classList.remove("moving");
  });
  svg.addEventListener("click", (event) => {
    const path = nodeAt(event);
    if (event.target.closest(".switch")) toggle(path);
  });
  svg.addEventListener("dblclick", (event) => {
    const path = nodeAt(event);
    if (path && drawn.get(path).place.shape.inner) toggle(path);
  });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  // ---- what is known of a node --------------------------------------------------------------

  const tip = tag("aside", { class: "tip", role: "tooltip" });
  const hideTip = () => {
    tip.style.display = "none";
    for (const each of document.querySelectorAll(".edge.near")) each.classList.remove("near");
  };
  const describe = (path, x, y) => {
    hideTip();
    const { place, level } = drawn.get(path);
    tip.replaceChildren();
    for (const line of place.shape.info.split("\n")) {
      const row = tag("div", {}, tip);
      const colon = line.indexOf(": ");
      if (tip.children.length > 1 && colon > 0) {
        tag("b", {}, row, line.slice(0, colon) + "  ");
        row.append(line.slice(colon + 2));
      } else row.textContent = line;
    }
    for (const item of level.arrows) {
      if (item.from === place || item.to === place) item.group.classList.add("near");
    }
    tip.style.display = "block";
    tip.style.left = Math.max(8, Math.min(x + 16, innerWidth - tip.offsetWidth - 12)) + "px";
    tip.style.top = Math.max(54, Math.min(y + 16, innerHeight - tip.offsetHeight - 12)) + "px";
  };
  const hover = (event) => {
    const path = nodeAt(event);
    path ? describe(path, event.clientX, event.clientY) : hideTip();
  };
  svg.addEventListener("pointerleave", hideTip);
  svg.addEventListener("focusin", (event) => {
    const path = nodeAt(event);
    if (!path || !event.target.matches(":focus-visible")) return;
    const box = event.target.getBoundingClientRect();
    describe(path, box.right, box.top);
  });

  // ---- menu of a node -----------------------------------------------------------------------

  const menu = tag("aside", { class: "menu", role: "menu" });
  const hideMenu = () => (menu.style.display = "none");
  svg.addEventListener("contextmenu", (event) => {
    const path = nodeAt(event);
    if (!path) return;
    event.preventDefault();
    menu.replaceChildren();
    const entry = (text, act) => {
      tag("button", { role: "menuitem" }, menu, text).onclick = () => (hideMenu(), act());
    };
    const { place } = drawn.get(path);
    if (place.shape.inner) entry(opened.has(path) ? "Close" : "Open", () => toggle(path));
    entry("Edit label", () => {
      const text = prompt("Label", renamed.get(path) || place.shape.texts[0][0]);
      if (text !== null) renamed.set(path, text), draw();
    });
    if (moved.has(path)) entry("Put back", () => (moved.delete(path), draw()));
    menu.style.display = "block";
    menu.style.left = event.clientX + "px";
    menu.style.top = event.clientY + "px";
  });

  // ---- search, buttons, keys ----------------------------------------------------------------

  const header = tag("header", {});
  tag("h1", {}, header, data.title || "Graph");
  const field = tag("input", { type: "search", placeholder: "Search: op, name, type, line", "aria-label": "Search" }, header);
  const found = tag("span", { class: "found", "aria-live": "polite" }, header);
  let hits = [], hit = -1;
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    hits = [];
    for (const [path, { group, place }] of drawn) {
      const text = (place.shape.info + " " + place.shape.texts.map((t) => t[0]).join(" ")).toLowerCase();
      const lit = words.length > 0 && words.every((word) => text.includes(word));
      group.classList.toggle("lit", lit);
      if (lit) hits.push(path);
    }
    svg.classList.toggle("searching", words.length > 0);
    found.textContent = words.length ? hits.length + " found" : "";
    hit = -1;
  };
  const next = (step) => {
    if (!hits.length) return;
    hit = (hit + step + hits.length) % hits.length;
    for (const each of document.querySelectorAll(".picked")) each.classList.remove("picked");
    drawn.get(hits[hit]).group.classList.add("picked");
    centre(hits[hit]);
    found.textContent = hit + 1 + " of " + hits.length;
  };
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
  });
  const button = (text, help, act) => (tag("button", { title: help }, header, text).onclick = act);
  button("Fit", "Show all of it (f)", fit);
  if (data.graphs.length > 1) {
    button("Open all", "Show the graphs inside ops", openAll);
    button("Close all", "Hide the graphs inside ops", () => (opened.clear(), draw(), fit()));
  }
  button("Reset", "Undo moving, opening and renaming", () => {
    [opened, moved, renamed].forEach((kept) => kept.clear());
    draw();
    fit();
  });
  if (data.note) tag("span", { class: "note" }, header, data.note);
  addEventListener("keydown", (event) => {
    if (event.target === field) {
      if (event.key === "Escape") (field.value = ""), search(), field.blur();
      return;
    }
    const box = svg.getBoundingClientRect(), middle = [box.width / 2, box.height / 2];
    if (event.key === "/") event.preventDefault(), field.focus();
    else if (event.key === "f") fit();
    else if (event.key === "+") zoom(1.25, ...middle);
    else if (event.key === "-") zoom(0.8, ...middle);
    else if (event.key === "Escape") hideMenu(), hideTip();
    else if (event.key === "Enter") {
      const path = document.activeElement && document.activeElement.getAttribute("data-node");
      if (path && drawn.get(path).place.shape.inner) toggle(path);
    }
  });

  for (const [form, fill, stroke, text] of data.legend) {
    const item = tag("span", {}, footer);
    const swatch = tag("i", { class: form }, item);
    swatch.style.background = fill;
    swatch.style.borderColor = stroke;
    item.append(text);
  }

  document.body.append(header, svg, footer, tip, menu);
  // "#open" shows the graphs inside ops at once, "#find=words" searches
  draw();
  if (location.hash.includes("open")) openAll();
  const asked = /find=([^&]*)/.exec(location.hash);
  if (asked) (field.value = decodeURIComponent(asked[1])), search();
  begin();
  addEventListener("resize", begin);
})();
