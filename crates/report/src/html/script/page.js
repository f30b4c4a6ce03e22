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

