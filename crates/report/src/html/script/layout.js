  /* Where everything stands. What is hidden takes no room: rows and lanes close up, and arrows are drawn from where they
     begin now to where they end now. The rules are those of geometry.rs and drawing/messages.rs. */
  const LETTER = 6.4;
  const SEAM = 18;
  const SVG = "http://www.w3.org/2000/svg";
  const draw = (tag, attributes, ...children) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const tenth = (value) => Math.round(value * 10) / 10 + 0;
  const apart = (a, b) => Math.hypot(b.x - a.x, b.y - a.y);
  const towards = (a, b, pixels) => {
    const share = pixels / Math.max(apart(a, b), 1e-9);
    return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
  };
  const shift = (element, x, y) => {
    if (x || y) element.setAttribute("transform", `translate(${tenth(x)} ${tenth(y)})`); else element.removeAttribute("transform");
  };

  class Layout {
    constructor(section, first) {
      this.names = $(".lane-names", section);
      this.svg = $(".space-time", section);
      this.first = first;
      const [, , width, height] = this.svg.getAttribute("viewBox").split(" ").map(Number);
      this.drawn = { width, height };
      this.lanesDrawn = $$("text", this.names).map((text) => Number(text.getAttribute("x")));
      this.spacing = this.lanesDrawn.length > 1 ? this.lanesDrawn[1] - this.lanesDrawn[0] : 0;
      this.rows = $$(".row", this.svg).map((rect) => ({
        rect, number: Number(rect.dataset.step), top: Number(rect.getAttribute("y")), height: Number(rect.getAttribute("height")),
      }));
      this.head = this.rows[0].top;
      for (const [at, group] of $$(".step", this.svg).entries()) this.rows[at].parts = this.partsOf(group);
      for (const part of $$("[data-row]", this.svg)) this.rows[part.dataset.row - first].strip = part;
      const last = this.rows.at(-1);
      this.foot = height - last.top - last.height - 8;
      this.lanes = $$(":scope > [data-lane]", this.svg).concat($$("[data-lane]", this.names));
      this.spans = $$("[data-span]", this.svg).map((element) => {
        const [from, to] = element.dataset.span.split(" ").map(Number);
        const [, x] = /^M(-?[\d.]+)/.exec(element.getAttribute("d") ?? "") ?? [];
        return { element, from, to, x: Number(x), isBar: element.classList.contains("cut-bar"), isRect: x === undefined };
      });
      this.between = $$("[data-after]", this.svg);
      this.notes = Number($(".note, .round-name", this.svg)?.getAttribute("x") ?? this.lanesDrawn.at(-1) + 84);
      this.seams = draw("g", { class: "seams" });
      this.svg.append(this.seams);
      this.hide(() => false, new Set(), new Set(), false);
    }

    partsOf(group) {
      const messages = $$(":scope > .message", group).map((element, at) => {
        const [from, to, kind] = element.dataset.ends.split(" ").map(Number);
        const fate = ["received", "lost", "under-way"].find((name) => element.classList.contains(name));
        const place = fate === "under-way" ? at - $$(":scope > .message:not(.under-way)", group).length : 0;
        return { element, from, to, kind, fate, place, sent: Number(element.dataset.sent), lines: $$(".grab, .shaft", element),
          end: $(".tip, .cross, .waiting", element), label: $(".kind", element) };
      });
      return {
        group, messages,
        marks: $$(":scope > [data-lane]", group),
        aside: $$(":scope > .number, :scope > .forbidden-step", group),
        notes: $$(":scope > .note, :scope > .round-name", group),
        link: $(":scope > [data-link]", group),
        word: $(":scope > .kind", group),
        edge: $(":scope > [data-edge]", group),
      };
    }

    /** Lays everything out. `isGone` says which rows are hidden, by their places; the sets, which lanes and kinds are. */
    hide(isGone, lanes, kinds, isMoved = true) {
      this.gone = this.rows.map((_, at) => isGone(at));
      this.hiddenLanes = lanes;
      const seen = this.lanesDrawn.map((_, at) => at).filter((at) => !lanes.has(at));
      this.lanesNow = this.lanesDrawn.map((_, at) => this.lanesDrawn[0] + this.spacing * Math.max(seen.indexOf(at), 0));
      this.aside = -this.spacing * (this.lanesDrawn.length - Math.max(seen.length, 1));
      let top = this.head;
      const gaps = [];
      for (const [at, row] of this.rows.entries()) {
        if (!this.gone[at]) {
          [row.now, row.room] = [top, row.height];
          top += row.height;
          continue;
        }
        if (at === 0 || !this.gone[at - 1]) {
          gaps.push({ top, from: at, to: at });
          top += SEAM;
        }
        gaps.at(-1).to = at;
        [row.now, row.room] = [top - SEAM, SEAM];
      }
      this.end = top + 8;
      this.height = this.end + this.foot;
      this.width = this.drawn.width + this.aside;
      if (isMoved) this.move(gaps, kinds);
    }

    row(number) { return this.rows[number - this.first]; }
    middle(number) {
      if (number < this.first) return 0;
      const row = this.row(number);
      return row ? row.now + row.room / 2 : this.end;
    }
    topOf(number) { return this.row(number)?.now ?? this.end; }

    move(gaps, kinds) {
      const slide = (element, down) => {
        const lane = Number(element.dataset.lane);
        element.classList.toggle("gone", this.hiddenLanes.has(lane));
        shift(element, this.lanesNow[lane] - this.lanesDrawn[lane], down);
      };
      for (const element of this.lanes) slide(element, 0);
      for (const [at, row] of this.rows.entries()) {
        const { parts } = row;
        for (const element of [row.rect, parts.group, row.strip]) element?.classList.toggle("gone", this.gone[at]);
        if (this.gone[at]) continue;
        const down = row.now - row.top;
        row.rect.setAttribute("y", row.now);
        for (const element of parts.marks) slide(element, down);
        for (const element of parts.aside) shift(element, 0, down);
        for (const element of parts.notes) shift(element, this.aside, down);
        if (row.strip) shift(row.strip, 0, down);
        if (parts.link) this.placeLink(parts, row);
        if (parts.edge) parts.edge.setAttribute("d", parts.edge.getAttribute("d").replace(/^M(\S+) \S+H\S+$/, (_, left) => `M${left} ${row.now}H${this.right()}`));
        for (const message of parts.messages) this.place(message, row.number, kinds);
      }
      for (const { element, from, to, x, isBar, isRect } of this.spans) {
        if (isRect) {
          element.setAttribute("y", this.topOf(from));
          element.setAttribute("height", this.topOf(to) - this.topOf(from));
          if (element.classList.contains("band")) element.setAttribute("width", this.right() - Number(element.getAttribute("x")));
        } else {
          element.setAttribute("d", `M${x + (isBar ? this.aside : 0)} ${this.middle(from)}V${this.middle(to)}`);
        }
      }
      for (const element of this.between) {
        const number = Number(element.dataset.after);
        const isGone = this.gone[number - this.first] || this.gone[number + 1 - this.first];
        element.classList.toggle("gone", isGone);
        if (!isGone) element.setAttribute("d", `M3 ${this.middle(number) + 6}V${this.middle(number + 1) - 6}`);
      }
      const line = $(".verdict-line", this.svg);
      line.setAttribute("d", line.getAttribute("d").replace(/^M(\S+) .*$/, (_, left) => `M${left} ${this.end}H${this.right()}`));
      $(".verdict", this.svg).setAttribute("y", this.end + 22);
      this.showSeams(gaps);
      this.scale(this.zoom ?? 1);
    }

    /** Where bands and lines across the lanes end. */
    right() { return Math.max(...this.lanesNow.filter((_, at) => !this.hiddenLanes.has(at)), this.lanesDrawn[0]) + 22; }

    placeLink({ link, word }, row) {
      const [a, b] = link.dataset.link.split(" ").map((lane) => this.lanesNow[lane]).sort((a, b) => a - b);
      const y = row.now + row.room / 2;
      link.setAttribute("d", `M${a} ${y}H${b}`);
      word.setAttribute("transform", `translate(${Math.trunc((a + b) / 2)} ${y})`);
    }

    place(message, number, kinds) {
      const { element, from, to, kind, fate, place, sent, lines, end: mark, label } = message;
      const isFromNowhere = this.hiddenLanes.has(from);
      const isGone = fate === "received" ? false : isFromNowhere || this.hiddenLanes.has(to) || kinds.has(kind);
      element.classList.toggle("gone", isGone);
      if (isGone) return;
      let start = { x: this.lanesNow[from], y: this.middle(sent) };
      let end = { x: this.lanesNow[to], y: this.middle(number) };
      // The lane of the sender is hidden: a short arrow comes from its side.
      if (isFromNowhere) start = { x: end.x + (from < to ? -58 : 58), y: end.y - 9 };
      const trace = (path) => { for (const line of lines) line.setAttribute("d", path); };
      const put = (angle, { x, y }) => mark.setAttribute("transform", `translate(${tenth(x)} ${tenth(y)})${angle === null ? "" : ` rotate(${tenth(angle)})`}`);
      const line = (a, b) => trace(`M${tenth(a.x)} ${tenth(a.y)}L${tenth(b.x)} ${tenth(b.y)}`);
      if (fate === "under-way") {
        end = { x: start.x + (to < from ? -30 : 30), y: start.y + 9 + 5 * Math.min(place, 3) };
        line(towards(start, end, 5), end);
        return put(null, end);
      }
      const isLost = fate === "lost";
      if (isLost) end = { x: start.x + (end.x - start.x) * 0.6, y: Math.max(end.y, start.y + 13) };
      if (from === to) {
        const [out, tip] = [start.x + 34, { x: start.x + (isLost ? 20 : 6), y: end.y }];
        trace(`M${tenth(start.x + 5)} ${tenth(start.y)}C${out} ${tenth(start.y + 4)},${out} ${tenth(tip.y - 4)},${tenth(tip.x)} ${tenth(tip.y)}`);
        put(isLost ? null : 180, tip);
        return label.setAttribute("transform", `translate(${tenth(tip.x + 26)} ${tenth(tip.y)})`);
      }
      const tip = isLost ? end : towards(end, start, 6);
      line(towards(start, end, 5), tip);
      let angle = Math.atan2(end.y - start.y, end.x - start.x) * 180 / Math.PI;
      put(isLost ? null : angle, tip);
      if (Math.abs(angle) > 90) angle -= 180 * Math.sign(angle);
      const isAlong = Math.abs(angle) <= 40;
      const isFromLeft = start.x < end.x;
      label.setAttribute("class", isAlong ? "kind" : `kind ${isFromLeft ? "left" : "right"}`);
      const point = towards(end, start, isAlong ? 17 + [...label.textContent].length * LETTER / 2 : 22);
      const aside = isAlong ? 0 : isFromLeft ? -7 : 7;
      label.setAttribute("transform", `translate(${tenth(point.x + aside)} ${tenth(point.y)})${isAlong ? ` rotate(${tenth(angle)})` : ""}`);
    }

    /** Where rows are hidden, a line says how many. */
    showSeams(gaps) {
      const numbers = Number($(".number", this.svg).getAttribute("x"));
      this.seams.replaceChildren(...gaps.map(({ top, from, to }) => {
        const y = top + SEAM / 2;
        const [a, b] = [this.rows[from].number, this.rows[to].number];
        const words = a === b ? `step ${a} is hidden` : `steps ${a} to ${b} are hidden`;
        return draw("g", { class: "seam", "data-from": a, "data-to": b },
          draw("title", {}, `${words}: click to show`),
          draw("rect", { x: 0, y: top, width: 4000, height: SEAM }),
          draw("path", { d: `M${numbers + 8} ${y}H${this.right()}` }),
          draw("text", { class: "number", x: numbers, y: y + 4 }, `+${to - from + 1}`),
          draw("text", { x: this.notes + this.aside, y: y + 4 }, words));
      }));
    }

    scale(zoom) {
      this.zoom = zoom;
      for (const [svg, height] of [[this.names, 36], [this.svg, this.height]]) {
        svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
        svg.setAttribute("width", tenth(this.width * zoom));
        svg.setAttribute("height", tenth(height * zoom));
      }
    }
  }

