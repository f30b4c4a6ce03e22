"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  // Foreign text only ever becomes a text node.
  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };

  /* Light and dark. */
  const root = document.documentElement;
  const theme = $(".theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("shakedown-theme", root.dataset.theme); } catch { /* It is not kept, then. */ }
  });

  /* Copying. */
  const textOf = (element) => element.tagName === "OL"
    ? $$("li", element).map((line) => line.textContent).join("\n") + "\n"
    : element.textContent;
  const copyOldWay = (text) => {
    const area = make("textarea");
    area.value = text;
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  for (const button of $$(".copy[data-copies]")) {
    button.addEventListener("click", async () => {
      const text = textOf(document.getElementById(button.dataset.copies));
      let done = true;
      try { await navigator.clipboard.writeText(text); } catch { done = copyOldWay(text); }
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      button.classList.toggle("done", done);
      setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1600);
    });
  }

  /* What changed between two states, word by word: the longest common subsequence stays. */
  const changes = (before, after) => {
    const cut = (text) => text.split(/(\s+|(?<=[,;{}()[\]])|(?=[,;{}()[\]]))/).filter((word) => word !== "");
    const [a, b] = [cut(before), cut(after)];
    if (a.length * b.length > 400000) return [[[before, "del"]], [[after, "ins"]]];
    const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    const [left, right] = [[], []];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { left.push([a[i++]]); right.push([b[j++]]); }
      else if (j === b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) left.push([a[i++], "del"]);
      else right.push([b[j++], "ins"]);
    }
    return [left, right];
  };
  const state = (name, words) => {
    const box = make("div", "state");
    box.dataset.name = name;
    for (const [word, tag] of words) box.append(tag && word.trim() ? make(tag, "", word) : word);
    return box;
  };
  const states = (before, after) => {
    if (before === undefined) return [state("after", [[after]])];
    if (before === after) return [state("before and after: unchanged", [[after]])];
    const [left, right] = changes(before, after);
    return [state("before", left), state("after", right)];
  };

  /* The box that follows the pointer. */
  const box = $(".tip-box");
  const showTip = (text, x, y) => {
    const [name, ...rest] = text.split("\n");
    const last = rest.pop();
    box.replaceChildren(make("b", "", name), make("code", "", rest.join("\n")), make("small", "", last));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    box.style.left = Math.max(12, Math.min(x + 14, innerWidth - width - 12)) + "px";
    box.style.top = (y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18) + "px";
  };

  class Finding {
    constructor(section) {
      this.section = section;
      const { first, steps, texts } = JSON.parse($("script.steps", section).textContent);
      Object.assign(this, { first, steps, texts });
      this.last = first + steps.length - 1;
      // 0 is no step: then the whole execution is shown.
      this.current = 0;
      this.diagram = $(".diagram", section);
      this.groups = $$(".step", section);
      this.detail = $(".detail", section);
      // While no step is chosen, what stands there without script stands there.
      $(".hint", this.detail).textContent = "Press → to go through the steps, or click on one. Pointing at an arrow shows its message.";
      this.hint = [...this.detail.childNodes];
      $(".controls", section).hidden = false;
      this.listen();
      this.show();
    }

    listen() {
      const ways = { first: () => this.first, back: () => this.before(), on: () => this.after(), last: () => this.last };
      for (const button of $$("[data-go]", this.section))
        button.addEventListener("click", () => this.go(ways[button.dataset.go]()));
      for (const part of $$("[data-step]", this.section))
        part.addEventListener("click", () => this.go(Number(part.dataset.step), !part.closest(".schedule")));
      for (const message of $$(".message", this.section)) {
        // The title is for pages without script: two boxes at once would be one too many.
        const title = $("title", message);
        const text = title.textContent;
        title.remove();
        message.setAttribute("aria-label", text);
        message.addEventListener("pointermove", (event) => showTip(text, event.clientX, event.clientY));
        message.addEventListener("pointerleave", () => { box.hidden = true; });
      }
    }

    after() { return this.current === 0 ? this.first : Math.min(this.current + 1, this.last); }
    before() { return this.current === 0 ? this.last : Math.max(this.current - 1, this.first); }

    go(number, scroll = true) {
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

    show() {
      const now = this.current;
      const isLater = (element) => now !== 0 && Number(element.dataset.step) > now;
      for (const group of this.groups) {
        group.classList.toggle("later", isLater(group));
        group.classList.toggle("now", Number(group.dataset.step) === now);
        for (const message of $$(".message", group))
          message.classList.toggle("travelling", isLater(group) && Number(message.dataset.sent) <= now && !message.classList.contains("under-way"));
      }
      for (const end of $$(".verdict, .verdict-line", this.section)) end.classList.toggle("later", now !== 0 && now < this.last);
      for (const row of $$(".row", this.section)) row.classList.toggle("current", Number(row.dataset.step) === now);
      for (const button of $$(".schedule [data-step]", this.section)) {
        const isCurrent = Number(button.dataset.step) === now;
        button.parentElement.classList.toggle("current", isCurrent);
        if (isCurrent) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
      }
      $("[data-go=first]", this.section).disabled = $("[data-go=back]", this.section).disabled = now === this.first;
      $("[data-go=last]", this.section).disabled = $("[data-go=on]", this.section).disabled = now === this.last;
      const spoken = make("span", "spoken", now ? `: ${this.steps[now - this.first].text}` : "");
      $(".place", this.section).replaceChildren(now ? `step ${now} of ${this.last}` : `${this.last} steps`, spoken);
      this.detail.replaceChildren(...(now ? this.explain(this.steps[now - this.first]) : this.hint));
    }

    explain(step) {
      const parts = [make("h3", "", step.text), make("p", "about", step.about)];
      const message = $(`.step[data-step="${this.current}"] .message:not(.under-way)`, this.section);
      if (message) {
        const [name, ...rest] = message.getAttribute("aria-label").split("\n");
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
      const row = $(`.row[data-step="${this.current}"]`, this.section);
      const [top, height] = [Number(row.getAttribute("y")), Number(row.getAttribute("height"))];
      const names = 37;
      const view = this.diagram;
      const room = view.clientHeight - names;
      if (top < view.scrollTop + 40 || top + height > view.scrollTop + room - 40)
        view.scrollTop = Math.max(0, top + height / 2 - room / 2);
      const { top: above, bottom: below } = view.getBoundingClientRect();
      const place = above + names + top - view.scrollTop;
      if (above > innerHeight - 120 || below < 160 || place < 60 || place > innerHeight - 60)
        view.scrollIntoView({ block: innerHeight > view.clientHeight + 120 ? "center" : "nearest" });
    }
  }

  let active = null;
  let settling = 0;
  const findings = new Map();
  for (const section of $$(".finding")) {
    if ($("script.steps", section)) findings.set(section, new Finding(section));
  }
  addEventListener("scroll", () => { box.hidden = true; }, { capture: true, passive: true });

  /* The finding that keys are for: where the focus is, or the last one used, or the first one in view. */
  const chosen = () => {
    const focused = findings.get(document.activeElement?.closest(".finding"));
    if (focused) return focused;
    const isInView = ({ section }) => {
      const { top, bottom } = section.getBoundingClientRect();
      return top < innerHeight * 0.7 && bottom > innerHeight * 0.2;
    };
    if (active && isInView(active)) return active;
    return [...findings.values()].find(isInView);
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const finding = chosen();
    if (!finding) return;
    // These keys scroll pages, so they step only for whoever is in the diagram or at its controls.
    const isInside = Boolean(document.activeElement?.closest(".stage, .schedule"));
    const ways = { ArrowRight: "after", j: "after", ArrowLeft: "before", k: "before" };
    if (isInside) Object.assign(ways, { ArrowDown: "after", ArrowUp: "before" });
    const way = ways[event.key];
    if (way) finding.go(finding[way]());
    else if (event.key === "Home" && (isInside || finding.current)) finding.go(finding.first);
    else if (event.key === "End" && (isInside || finding.current)) finding.go(finding.last);
    else if (event.key === "Escape" && finding.current) { finding.go(0); box.hidden = true; }
    else return;
    event.preventDefault();
  });

  const fromAddress = () => {
    const [, id, step] = /^#(finding-\d+)-step-(\d+)$/.exec(location.hash) ?? [];
    const finding = id && findings.get(document.getElementById(id));
    if (finding && step >= finding.first && step <= finding.last) finding.go(Number(step));
  };
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
