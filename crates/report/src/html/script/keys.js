  let active = null;
  let settling = 0;
  const findings = new Map();
  for (const section of $$(".finding")) {
    if ($(".row", section)) findings.set(section, new Finding(section));
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
    const { tools } = finding;
    const tool = {
      "/": () => { tools.input.focus(); tools.input.select(); },
      c: () => tools.causes(),
      f: () => tools.fold(),
      w: () => tools.wide(),
      "+": () => tools.zoom("in"),
      "=": () => tools.zoom("in"),
      "-": () => tools.zoom("out"),
      0: () => tools.zoom("whole"),
    }[event.key];
    if (way) finding.go(finding[way]());
    else if (tool) tool();
    else if (event.key === "Home" && (isInside || finding.current)) finding.go(finding.after(0));
    else if (event.key === "End" && (isInside || finding.current)) finding.go(finding.before(finding.last + 1));
    else if (event.key === "Escape" && finding.current) { finding.go(0); box.hidden = true; }
    else return;
    event.preventDefault();
  });

  const fromAddress = (hash) => {
    const [, id, step] = /^#(finding-\d+)-step-(\d+)$/.exec(hash) ?? [];
    const finding = id && findings.get(document.getElementById(id));
    if (finding && step >= finding.first && step <= finding.last) finding.go(Number(step));
  };
  // The address may be that of an earlier step again by the time of the event.
  addEventListener("hashchange", (event) => fromAddress(new URL(event.newURL).hash));
  fromAddress(location.hash);
