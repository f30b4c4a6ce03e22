  class Finding {
    constructor(section) {
      this.section = section;
      const data = JSON.parse($("script.steps", section).textContent);
      Object.assign(this, data);
      this.last = this.first + this.steps.length - 1;
      // 0 is no step: then the whole execution is shown.
      this.current = 0;
      this.isCausal = false;
      this.diagram = $(".diagram", section);
      this.detail = $(".detail", section);
      // While no step is chosen, what stands there without script stands there.
      $(".hint", this.detail).textContent = "Press → to go through the steps, or click on one. Pointing at an arrow shows its message.";
      this.hint = [...this.detail.childNodes];
      $(".controls", section).hidden = false;
      this.layout = new Layout(section, this.first);
      this.overview = new Overview(this.diagram, this.layout);
      this.effects = this.steps.map(() => []);
      for (const [at, { causes = [] }] of this.steps.entries())
        for (const cause of causes) this.effects[cause - this.first]?.push(this.first + at);
      this.listen();
      this.tools = new Tools(this);
      this.show();
    }

    listen() {
      const ways = { first: () => this.after(0), back: () => this.before(), on: () => this.after(), last: () => this.before(this.last + 1) };
      for (const button of $$("[data-go]", this.section))
        button.addEventListener("click", () => this.go(ways[button.dataset.go]()));
      for (const part of $$("[data-step]", this.section))
        part.addEventListener("click", () => this.go(Number(part.dataset.step), !part.closest(".schedule")));
      for (const message of $$(".message", this.section)) {
        // The title is for pages without script: two boxes at once would be one too many.
        const title = $("title", message);
        const text = title.textContent;
        title.remove();
        message.dataset.tip = text;
        message.addEventListener("pointermove", (event) => showTip(text, event.clientX, event.clientY));
        message.addEventListener("pointerleave", () => { box.hidden = true; });
      }
    }

    /** The next step that is not hidden, and the one before; the same one if there is none. */
    after(from = this.current) {
      for (let number = Math.max(from + 1, this.first); number <= this.last; number++)
        if (!this.layout.gone[number - this.first]) return number;
      return this.current;
    }
    before(from = this.current || this.last + 1) {
      for (let number = from - 1; number >= this.first; number--)
        if (!this.layout.gone[number - this.first]) return number;
      return this.current;
    }

    go(number, scroll = true) {
      if (number) this.tools.open(number);
      this.current = number;
      active = this;
      this.show();
      if (number && scroll) this.reveal();
      // The step is part of the address, so that it can be sent to somebody. Browsers refuse to change it many times a
      // second, which is what a key that is held down would do.
      clearTimeout(settling);
      settling = setTimeout(() => {
        try { history.replaceState(null, "", `#${this.section.id}${number ? `-step-${number}` : ""}`); } catch { /* Not here. */ }
      }, 120);
    }

    /** After a change of what is hidden: the chosen step is one that is shown. */
    settle() {
      if (this.current && this.layout.gone[this.current - this.first]) {
        const from = this.current;
        const near = this.before(from);
        this.current = near === from ? this.after(from) : near;
        if (this.layout.gone[this.current - this.first]) this.current = 0;
      }
      this.show();
      if (this.current) this.reveal();
    }

    /** Every step that the given edges lead to, directly or not. */
    reach(edges) {
      const seen = new Set();
      const queue = [this.current];
      for (let number = queue.pop(); number !== undefined; number = queue.pop())
        for (const next of edges(number)) if (next >= this.first && !seen.has(next)) { seen.add(next); queue.push(next); }
      return seen;
    }

    show() {
      const now = this.current;
      const past = now ? this.reach((number) => this.steps[number - this.first].causes ?? []) : new Set();
      const future = now ? this.reach((number) => this.effects[number - this.first]) : new Set();
      const isCausal = this.isCausal && now !== 0;
      this.layout.svg.classList.toggle("causal", isCausal);
      for (const { rect, number, parts } of this.layout.rows) {
        const isLater = now !== 0 && number > now;
        const flags = { later: isLater, now: number === now, past: isCausal && past.has(number), future: isCausal && future.has(number) };
        for (const [name, is] of Object.entries(flags)) parts.group.classList.toggle(name, is);
        rect.classList.toggle("current", number === now);
        for (const name of ["past", "future"]) rect.classList.toggle(name, flags[name]);
        for (const { element, sent, fate } of parts.messages)
          element.classList.toggle("travelling", isLater && !isCausal && sent <= now && fate !== "under-way");
      }
      this.overview.mark("past", isCausal ? [...past] : []);
      this.overview.mark("future", isCausal ? [...future] : []);
      this.overview.show(now);
      for (const end of $$(".verdict, .verdict-line", this.section)) end.classList.toggle("later", now !== 0 && now < this.last && !(isCausal && future.has(this.last)));
      for (const button of $$(".schedule [data-step]", this.section)) {
        const isCurrent = Number(button.dataset.step) === now;
        button.parentElement.classList.toggle("current", isCurrent);
        if (isCurrent) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
      }
      $("[data-go=first]", this.section).disabled = $("[data-go=back]", this.section).disabled = now !== 0 && this.before() === now;
      $("[data-go=last]", this.section).disabled = $("[data-go=on]", this.section).disabled = now !== 0 && this.after() === now;
      const spoken = make("span", "spoken", now ? `: ${this.steps[now - this.first].text}` : "");
      $(".place", this.section).replaceChildren(now ? `step ${now} of ${this.last}` : `${this.last} steps`, spoken);
      this.detail.replaceChildren(...(now ? this.explain(this.steps[now - this.first], past.size, future.size) : this.hint));
      this.detail.parentElement.classList.toggle("chosen", now !== 0);
      this.tools?.tell();
    }

    explain(step, past, future) {
      const parts = [make("h3", "", step.text), make("p", "about", step.about)];
      const swatch = (name, count, word) => make("span", "", make("i", `swatch ${name}`), `${count} ${word}`);
      parts.push(make("p", "relations", swatch("past", past, "in its past"), swatch("future", future, "in its future"),
        swatch("concurrent", this.steps.length - 1 - past - future, "concurrent")));
      const message = $(`.step[data-step="${this.current}"] .message:not(.under-way)`, this.section);
      if (message) {
        const [name, ...rest] = message.dataset.tip.split("\n");
        const last = rest.pop();
        const contents = rest.join("\n");
        parts.push(make("h4", "", "Message"), make("p", "", make("code", "", name)));
        if (contents) parts.push(make("p", "", make("code", "contents", contents)));
        parts.push(make("p", "hint", last));
      }
      if (step.why) parts.push(make("h4", "", "Why"), make("ul", "", ...step.why.map((line) => make("li", "", line))));
      if (step.notes) parts.push(make("h4", "", "What it brought"), make("ul", "", ...step.notes.map((line) => make("li", "", line))));
      for (const [node, before, after] of step.nodes ?? [])
        parts.push(make("h4", "", `State of ${node}`), ...states(before === null ? undefined : this.texts[before], this.texts[after]));
      for (const [place, action] of (step.actions ?? []).entries())
        parts.push(...(place ? [] : [make("h4", "", step.actions.length > 1 ? "Actions of the specification" : "Action of the specification")]), make("p", "", make("code", "action", action)));
      if (step.specAfter !== undefined)
        parts.push(make("h4", "", "State of the specification"), ...states(this.texts[step.specBefore], this.texts[step.specAfter]));
      return parts;
    }

    reveal() {
      const { zoom = 1 } = this.layout;
      const row = this.layout.row(this.current);
      const [top, height, names] = [row.now * zoom, row.room * zoom, 37 * zoom];
      const view = this.diagram;
      const room = view.clientHeight - names;
      if (top < view.scrollTop + 40 || top + height > view.scrollTop + room - 40)
        view.scrollTop = Math.max(0, top + height / 2 - room / 2);
      this.revealSideways(row, zoom);
      const { top: above, bottom: below } = view.getBoundingClientRect();
      const place = above + names + top - view.scrollTop;
      // Where the panel stands above the sheet, it covers what is scrolled below it.
      const panel = this.detail.parentElement.getBoundingClientRect();
      const isAbove = panel.left < view.getBoundingClientRect().right && panel.width > 0;
      const cover = isAbove ? 52 + panel.height + 10 : 60;
      if (isAbove && (place < cover || place + height > innerHeight - 10 || above < cover - 10)) scrollBy(0, above - cover);
      else if (above > innerHeight - 120 || below < 160 || place < cover || place > innerHeight - 60)
        view.scrollIntoView({ block: innerHeight > view.clientHeight + 120 ? "center" : "nearest" });
    }

    /** Where the sheet is wider than its box, the lane that the step is about is in view. */
    revealSideways(row, zoom) {
      const lanes = this.steps[row.number - this.first].on;
      if (!lanes.length || this.layout.width * zoom <= this.diagram.clientWidth) return;
      const x = this.layout.lanesNow[lanes.at(-1)] * zoom;
      const { scrollLeft, clientWidth } = this.diagram;
      if (x < scrollLeft + 40) this.diagram.scrollLeft = x < clientWidth - 80 ? 0 : x - 60;
      else if (x > scrollLeft + clientWidth - 80) this.diagram.scrollLeft = x - clientWidth / 2;
    }
  }

