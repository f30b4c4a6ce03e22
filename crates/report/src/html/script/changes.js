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

  /* What did not change is folded: a button stands for it, and opens it. */
  const unchanged = (text, name) => {
    const button = make("button", "unchanged", name);
    button.type = "button";
    button.title = "Show what did not change";
    button.addEventListener("click", () => button.replaceWith(text));
    return button;
  };
  const LONG = 72;
  // Where whole variables are left out, what is left is worth more room.
  const LONG_OF_VARIABLES = 240;
  const ENDS = 24;
  /** Words without a change, of which long stretches are folded up to the words next to a change. */
  const quiet = (text, isFirst, isLast, long) => {
    if (text.length <= long) return [text];
    const start = isFirst ? 0 : text.slice(0, ENDS).search(/\s\S*$/);
    const rest = text.slice(-ENDS).search(/\s/);
    const end = isLast ? text.length : text.length - ENDS + Math.max(rest, 0);
    return [text.slice(0, Math.max(start, 0)), unchanged(text.slice(Math.max(start, 0), end), "⋯"), text.slice(end)];
  };
  const state = (name, words, long = LONG) => {
    const box = make("div", "state");
    box.dataset.name = name;
    let still = "";
    let isFirst = true;
    const rest = (isLast) => {
      box.append(...(isFirst && isLast ? [still] : quiet(still, isFirst, isLast, long)));
      still = "";
    };
    for (const [word, tag] of words) {
      if (!tag || !word.trim()) { still += word; continue; }
      rest(false);
      box.append(make(tag, "", word));
      isFirst = false;
    }
    rest(true);
    return box;
  };
  /** The parts of a state of a specification: one for each variable. */
  const parts = (text) => text.split(/\n(?=\/\\ )/);
  const states = (before, after) => {
    if (before === undefined) return [state("after", [[after]])];
    if (before === after) {
      const box = make("div", "state", unchanged(after, "show it"));
      box.dataset.name = "before and after: unchanged";
      return [box];
    }
    const [a, b] = [parts(before), parts(after)];
    if (a.length !== b.length || a.length === 1) {
      const [left, right] = changes(before, after);
      return [state("before", left), state("after", right)];
    }
    const isChanged = (part, at) => part !== b[at];
    const still = a.filter((part, at) => !isChanged(part, at));
    const [left, right] = changes(a.filter(isChanged).join("\n"), b.filter((part, at) => part !== a[at]).join("\n"));
    const boxes = [state("before", left, LONG_OF_VARIABLES), state("after", right, LONG_OF_VARIABLES)];
    if (still.length) {
      const box = make("div", "state");
      box.dataset.name = still.length === 1 ? "1 variable is unchanged" : `${still.length} variables are unchanged`;
      box.append(unchanged(still.join("\n"), still.map((part) => /^\/\\ (\w+)/.exec(part)?.[1] ?? "…").join(", ")));
      boxes.push(box);
    }
    return boxes;
  };

