  /* The tools above a diagram: search, folding, causes, zoom, width, and chips that hide lanes and kinds of steps. */
  const ZOOMS = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.15, 1.3, 1.5, 1.75, 2, 2.5];

  class Tools {
    constructor(finding) {
      this.finding = finding;
      this.section = finding.section;
      this.bar = $(".tools", this.section);
      this.lanes = new Set();
      this.groups = new Set();
      this.isFolded = false;
      // Steps that are shown although a tool would hide them.
      this.opened = new Set();
      this.matches = [];
      this.bar.hidden = false;
      $(".legend", this.section).hidden = true;
      this.button = (name) => $(`[data-tool=${name}]`, this.bar);
      this.chips();
      this.listen();
    }

    listen() {
      const { finding } = this;
      const idle = finding.steps.filter((step) => step.idle).length;
      $("small", this.button("fold")).textContent = idle;
      this.button("fold").disabled = idle === 0;
      for (const name of ["fold", "causes", "wide"]) this.button(name).addEventListener("click", () => this[name]());
      for (const button of $$("[data-zoom]", this.bar)) button.addEventListener("click", () => this.zoom(button.dataset.zoom));
      this.input = $("input", this.bar);
      this.input.addEventListener("input", () => this.search());
      this.input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.find(event.shiftKey ? "before" : "after");
        else if (event.key === "Escape") { this.input.value = ""; this.search(); finding.diagram.focus(); }
        else return;
        event.preventDefault();
      });
      for (const button of $$("[data-find]", this.bar)) button.addEventListener("click", () => this.find(button.dataset.find));
      finding.layout.seams.addEventListener("click", (event) => {
        const seam = event.target.closest(".seam");
        for (let number = Number(seam.dataset.from); number <= Number(seam.dataset.to); number++) this.opened.add(number);
        this.lay();
      });
    }

    /* Hiding. */

    chips() {
      const { lanes, groups, steps } = this.finding;
      const chip = (set, at, name, count, colour) => {
        const dot = colour === undefined ? [] : [make("i", `k${colour}`)];
        const button = make("button", "chip", ...dot, name, ...(count === null ? [] : [" ", make("small", "", String(count))]));
        button.type = "button";
        button.title = "Click to hide or show; Shift+click for this one alone";
        button.setAttribute("aria-pressed", "true");
        button.addEventListener("click", (event) => this.toggle(set, at, event.shiftKey));
        return { button, set, at };
      };
      const count = (group) => steps.filter((step) => step.group === group).length;
      const ofLanes = lanes.map((name, at) => chip(this.lanes, at, name, null));
      const ofGroups = groups.map(({ name, colour }, at) => chip(this.groups, at, name, count(at), colour)).filter(({ at }) => count(at));
      this.all = [...ofLanes, ...ofGroups];
      this.everything = make("button", "everything", "Show all");
      this.everything.type = "button";
      this.everything.hidden = true;
      this.everything.addEventListener("click", () => {
        this.lanes.clear();
        this.groups.clear();
        this.isFolded = false;
        this.opened.clear();
        this.lay();
        this.bar.querySelector(".chip").focus();
      });
      const list = (label, chips) => {
        const group = make("span", "chip-group", ...chips.map(({ button }) => button));
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", label);
        return group;
      };
      const others = ofGroups.filter(({ at }) => groups[at].colour === undefined);
      $(".chips", this.bar).append(list("Lanes", ofLanes), list("Messages", ofGroups.filter((chip) => !others.includes(chip))), list("Other steps", others), this.everything);
    }

    toggle(set, at, isAlone) {
      if (isAlone) {
        const rest = this.all.filter((chip) => chip.set === set && chip.at !== at).map((chip) => chip.at);
        const isAlready = !set.has(at) && rest.every((other) => set.has(other));
        set.clear();
        if (!isAlready) for (const other of rest) set.add(other);
      } else if (!set.delete(at)) set.add(at);
      this.opened.clear();
      this.lay();
    }

    fold() {
      this.isFolded = !this.isFolded;
      this.opened.clear();
      this.lay();
    }

    isGone(at) {
      const step = this.finding.steps[at];
      if (this.opened.has(this.finding.first + at)) return false;
      return (this.isFolded && step.idle) || this.groups.has(step.group) || step.on.some((lane) => this.lanes.has(lane));
    }

    /** Shows a step that is hidden. Its lanes are shown again, for it would be nowhere without them. */
    open(number) {
      const at = number - this.finding.first;
      if (!this.isGone(at)) return;
      for (const lane of this.finding.steps[at].on) this.lanes.delete(lane);
      this.opened.add(number);
      this.lay();
    }

    lay() {
      const { finding } = this;
      // What is opened by hand may be about a lane that is hidden: then the lane is shown too.
      for (const number of this.opened) for (const lane of finding.steps[number - finding.first].on) this.lanes.delete(lane);
      finding.layout.hide((at) => this.isGone(at), this.lanes, this.groups);
      for (const { button, set, at } of this.all) button.setAttribute("aria-pressed", String(!set.has(at)));
      this.button("fold").setAttribute("aria-pressed", String(this.isFolded));
      const hidden = finding.layout.gone.filter(Boolean).length;
      this.everything.hidden = hidden === 0 && this.lanes.size === 0;
      this.everything.textContent = hidden === 1 ? "Show all: 1 step is hidden" : `Show all: ${hidden} steps are hidden`;
      finding.overview.draw();
      this.markMatches();
      finding.settle();
    }

    /* Searching. */

    search() {
      const { finding } = this;
      const words = this.input.value.trim().toLowerCase();
      this.texts ??= finding.steps.map((step, at) => {
        const messages = finding.layout.rows[at].parts.messages.filter(({ fate }) => fate !== "under-way").map(({ element }) => element.dataset.tip);
        return [step.text, step.about, ...messages, ...(step.notes ?? []), ...(step.actions ?? [])].join("\n").toLowerCase();
      });
      this.matches = words ? this.texts.flatMap((text, at) => (text.includes(words) ? [finding.first + at] : [])) : [];
      for (const button of $$("[data-find]", this.bar)) button.disabled = this.matches.length === 0;
      this.markMatches();
      this.tell();
    }

    markMatches() {
      const found = new Set(this.matches);
      for (const { rect, number } of this.finding.layout.rows) rect.classList.toggle("match", found.has(number));
      this.finding.overview.mark("match", this.matches);
    }

    /** How many steps match, and which of them is chosen. */
    tell() {
      const place = this.matches.indexOf(this.finding.current);
      const { length } = this.matches;
      $(".found", this.bar).textContent = !this.input?.value.trim() ? "" : place >= 0 ? `${place + 1} of ${length}` : length === 0 ? "none" : `${length} found`;
    }

    find(way) {
      const { matches, finding } = this;
      if (!matches.length) return;
      const number = way === "after"
        ? matches.find((match) => match > finding.current) ?? matches[0]
        : matches.findLast((match) => match < finding.current) ?? matches.at(-1);
      finding.go(number);
    }

    /* Causes. */

    causes() {
      const { finding } = this;
      finding.isCausal = !finding.isCausal;
      this.button("causes").setAttribute("aria-pressed", String(finding.isCausal));
      // Without a step, it is the end that one asks about.
      if (finding.isCausal && finding.current === 0) finding.go(finding.last); else finding.show();
    }

    /* Zoom and width. */

    zoom(way) {
      const { layout, diagram, overview } = this.finding;
      const old = layout.zoom ?? 1;
      const fitting = () => Math.max(ZOOMS[0], Math.min(1.5, Math.floor(100 * diagram.clientWidth / layout.width) / 100));
      const next = {
        in: () => ZOOMS.find((zoom) => zoom > old + 0.001) ?? old,
        out: () => ZOOMS.findLast((zoom) => zoom < old - 0.001) ?? old,
        whole: () => 1,
        fit: fitting,
      }[way]();
      const room = diagram.clientHeight - 36 * old;
      const middle = (diagram.scrollTop + room / 2) / old;
      layout.scale(next);
      // What was in the middle stays there.
      diagram.scrollTop = middle * next - (diagram.clientHeight - 36 * next) / 2;
      const percent = `${Math.round(100 * next)} %`;
      $("[data-zoom=whole]", this.bar).textContent = percent;
      $("[data-zoom=in]", this.bar).disabled = next >= ZOOMS.at(-1);
      $("[data-zoom=out]", this.bar).disabled = next <= ZOOMS[0];
      overview.follow();
    }

    wide() {
      const isWide = $(".stage", this.section).classList.toggle("wide");
      this.button("wide").setAttribute("aria-pressed", String(isWide));
      this.finding.diagram.scrollIntoView({ block: "nearest" });
    }
  }

