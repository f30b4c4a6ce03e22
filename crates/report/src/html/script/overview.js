  /* The whole execution in a strip beside the sheet, and where one is in it. */
  class Overview {
    constructor(diagram, layout) {
      Object.assign(this, { diagram, layout });
      this.svg = draw("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
      this.window = make("i", "window");
      this.place = make("i", "here");
      this.strip = make("div", "overview", this.svg, this.place, this.window);
      const set = (name, value) => this.strip.setAttribute(name, value);
      set("role", "scrollbar");
      set("tabindex", "0");
      set("aria-label", "Overview of the execution");
      set("aria-orientation", "vertical");
      set("aria-controls", diagram.id);
      set("aria-valuemin", "0");
      set("aria-valuemax", "100");
      diagram.after(this.strip);
      diagram.addEventListener("scroll", () => this.follow(), { passive: true });
      new ResizeObserver(() => this.follow()).observe(diagram);
      const drag = (event) => {
        const { top, height } = this.strip.getBoundingClientRect();
        const { whole, room } = this.extent();
        diagram.scrollTop = (event.clientY - top) / height * whole - room / 2;
      };
      this.strip.addEventListener("pointerdown", (event) => { this.strip.setPointerCapture(event.pointerId); drag(event); });
      this.strip.addEventListener("pointermove", (event) => { if (this.strip.hasPointerCapture(event.pointerId)) drag(event); });
      this.strip.addEventListener("keydown", (event) => {
        const page = diagram.clientHeight * 0.85;
        const way = { ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[event.key];
        if (way === undefined) return;
        diagram.scrollTop += way;
        event.preventDefault();
        event.stopPropagation();
      });
      this.draw();
    }

    /** One path for each colour, whatever the number of steps. */
    draw() {
      const { layout } = this;
      const path = (name, d) => draw("path", { class: name, d });
      const lanes = layout.lanesNow.filter((_, at) => !layout.hiddenLanes.has(at));
      const [first, last] = [layout.lanesDrawn[0], Math.max(layout.lanesDrawn[0], ...lanes)];
      const pad = 20 + (last - first) * 0.12;
      [this.left, this.width] = [first - pad, last - first + 2 * pad];
      const [arrows, marks] = [new Map(), new Map()];
      const add = (map, name, d) => map.set(name, (map.get(name) ?? "") + d);
      for (const [at, { number, parts: { group, messages } }] of layout.rows.entries()) {
        if (layout.gone[at]) continue;
        const y = layout.middle(number);
        for (const { element, from, to, fate, sent, kind } of messages) {
          if (fate !== "received" || layout.hiddenLanes.has(from)) continue;
          const colour = element.classList.contains("forged") ? "forged" : `k${kind % 8}`;
          add(arrows, colour, `M${layout.lanesNow[from]} ${layout.middle(sent)}L${layout.lanesNow[to]} ${y}`);
        }
        const sign = { crash: "bad", restart: "good", drop: "bad", cut: "bad", heal: "good", request: "asked", retry: "asked" }[group.dataset.kind];
        const lane = $("[data-lane]", group)?.dataset.lane;
        if (sign && lane !== undefined) add(marks, sign, `M${layout.lanesNow[lane]} ${y}h.01`);
      }
      this.related = { past: path("past", ""), future: path("future", ""), match: path("match", "") };
      this.svg.setAttribute("viewBox", `${this.left} 0 ${this.width} ${layout.height}`);
      this.svg.replaceChildren(
        path("rails", lanes.map((x) => `M${x} 0V${layout.end}`).join("")),
        ...[...arrows].map(([name, d]) => path(`flight ${name}`, d)),
        ...[...marks].map(([name, d]) => path(`sign ${name}`, d)),
        ...Object.values(this.related),
        path(layout.svg.querySelector(".verdict.was") ? "end was" : "end", `M${this.left} ${layout.end}h${this.width}`),
      );
      this.follow();
    }

    /** Marks steps at the edges of the strip: causes and effects, and what was searched for. */
    mark(name, numbers) {
      const x = this.left + (name === "match" ? 0.97 : 0.03) * this.width;
      this.related[name].setAttribute("d", numbers.map((number) => `M${x} ${this.layout.middle(number)}h.01`).join(""));
    }

    /** How high the sheet is, and how much of it is seen below the names of the lanes. */
    extent() {
      const { height, zoom = 1 } = this.layout;
      return { whole: height * zoom, room: this.diagram.clientHeight - 36 * zoom };
    }

    follow() {
      const { whole, room } = this.extent();
      const { scrollTop } = this.diagram;
      // A sheet that is nearly seen as a whole needs no overview.
      this.strip.hidden = whole <= room * 1.25;
      const share = (value) => `${Math.min(100, 100 * value / whole)}%`;
      this.window.style.top = share(scrollTop);
      this.window.style.height = share(room);
      this.strip.setAttribute("aria-valuenow", String(Math.round(100 * scrollTop / Math.max(1, whole - room))));
    }

    show(number) {
      this.place.hidden = number === 0;
      if (number) this.place.style.top = `${100 * (this.layout.middle(number)) / this.layout.height}%`;
    }
  }

