"use strict";
(() => {
  const root = document.documentElement;
  try { const chosen = localStorage.getItem("shakedown-theme"); if (chosen) root.dataset.theme = chosen; } catch { /* Not here. */ }
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const PARTS = ["head", "facts", "plots", "findings", "browse"];

  const ago = (moment) => {
    const seconds = Math.max(0, Math.round((Date.now() - moment) / 1000));
    if (seconds < 2) return "now";
    if (seconds < 120) return `${seconds} s ago`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ago`;
    return `${Math.floor(seconds / 86400)} days ago`;
  };
  const count = () => {
    for (const time of $$("time[data-since]")) {
      const text = ago(Number(time.dataset.since));
      if (time.textContent !== text) time.textContent = text;
    }
  };

  /* Puts a part into its place. What the reader is at stays there. */
  const put = (place, html) => {
    const active = place.contains(document.activeElement) ? document.activeElement : null;
    const known = new Set($$(".found a", place).map((link) => link.getAttribute("href")));
    const typed = active?.tagName === "INPUT" ? active.value : null;
    // The server has made this, and has escaped what is foreign in it; scripts in it would not run.
    place.innerHTML = html;
    for (const link of $$(".found a", place))
      if (!known.has(link.getAttribute("href"))) link.closest("li").classList.add("fresh");
    if (!active) return;
    const same = $$("a, button, input", place).find((element) => element.tagName === active.tagName
      && element.getAttribute("href") === active.getAttribute("href")
      && element.closest("form")?.getAttribute("action") === active.closest("form")?.getAttribute("action"));
    if (same && typed !== null) same.value = typed;
    (same ?? $("a, button", place))?.focus({ preventScroll: true });
  };
  const card = (id) => {
    const made = document.createElement("article");
    made.className = "card campaign";
    made.id = id;
    made.setAttribute("aria-labelledby", `${id}-title`);
    for (const name of PARTS) {
      const part = document.createElement("div");
      part.className = name;
      part.id = `${id}-${name}`;
      made.append(part);
    }
    return made;
  };
  const arrange = (order) => {
    const list = $("#campaigns");
    for (const old of $$(".campaign", list)) if (!order.includes(old.id)) old.remove();
    order.forEach((id, place) => {
      const there = document.getElementById(id) ?? card(id);
      if (list.children[place] !== there) list.insertBefore(there, list.children[place] ?? null);
    });
  };
  const findings = () => $$(".campaign h4[data-count]").reduce((sum, head) => sum + Number(head.dataset.count), 0);

  let version = 0;
  const take = (change) => {
    const before = findings();
    if (change.order) arrange(change.order);
    for (const [id, html] of Object.entries(change.parts)) {
      const place = document.getElementById(id);
      if (place) put(place, html);
    }
    version = change.version;
    const more = findings() - before;
    if (more > 0) $("#news").textContent = more === 1 ? "A new finding" : `${more} new findings`;
    count();
  };

  /* A page that is not looked at is not fed: browsers allow a server six connections. */
  let source = null;
  const listen = () => {
    const link = $("#link");
    if (document.hidden) { source?.close(); source = null; return; }
    if (source) return;
    source = new EventSource(`events?after=${version}`);
    source.onopen = () => { link.className = "link on"; link.textContent = "live"; };
    source.onmessage = (event) => take(JSON.parse(event.data));
    source.onerror = () => {
      link.className = "link off";
      link.textContent = "not connected";
      if (source?.readyState === EventSource.CLOSED) { source = null; setTimeout(listen, 3000); }
    };
  };

  document.addEventListener("DOMContentLoaded", () => {
    const theme = $(".theme");
    theme.hidden = false;
    theme.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("shakedown-theme", root.dataset.theme); } catch { /* It is not kept, then. */ }
    });
    if (!("version" in document.body.dataset)) return;
    version = Number(document.body.dataset.version);
    // A replay is asked for without leaving the page; what it comes to arrives as a changed part.
    document.addEventListener("submit", (event) => {
      const form = event.target;
      if (form.method !== "post") return;
      event.preventDefault();
      const button = $("button", form);
      button.disabled = true;
      fetch(form.action, { method: "POST", headers: { accept: "application/json" } })
        .then((answer) => answer.ok ? "" : answer.text()).catch(() => "the server does not answer")
        .then((wrong) => { if (wrong) { button.disabled = false; $("#news").textContent = wrong; button.title = wrong; } });
    });
    document.addEventListener("visibilitychange", listen);
    count();
    setInterval(count, 1000);
    listen();
  });
})();
