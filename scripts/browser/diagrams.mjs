// The end-to-end test of the tools of a diagram, mostly on a large one: seven lanes and more than 200 steps. See
// scripts/browser-test.sh, which makes the pages and calls it with their folder.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { PHONE, apart, end, fact, open, shot } from "./pages.mjs";

const LARGE = "large";
const axe = readFileSync(process.env.AXE, "utf8");

/** The steps whose rows are shown, in order. */
const shown = (page) => page.$$eval("#finding-1 .row:not(.gone)", (rows) => rows.map((row) => Number(row.dataset.step)));
const height = (page) => page.$eval("#finding-1 .space-time", (svg) => svg.getBoundingClientRect().height);
const width = (page) => page.$eval("#finding-1 .space-time", (svg) => svg.viewBox.baseVal.width);
const chip = (page, name) => page.locator("#finding-1 .chip").filter({ hasText: new RegExp(`^${name}( \\d+)?$`) });
const tool = (page, name) => page.locator("#finding-1 .tools").getByRole("button", { name });
const data = (page) => page.$eval("#finding-1 script.steps", (script) => JSON.parse(script.textContent));

/** Everything that says where something stands, of every part of the drawing. */
const places = (page) => page.$$eval(".space-time :not(.seams, .seams *, title)", (parts) => parts.map((part) =>
  ["class", "d", "transform", "x", "y", "width", "height"].map((name) => part.getAttribute(name) ?? "").join("|").replace(/\b(later|now|match|gone)\b/g, "")));

for (const name of ["everything", "rounds", "sample", LARGE]) {
  await fact(`${name}: what the script lays out with nothing hidden is what stands there without script`, async () => {
    let drawn = [];
    await open(name, { javaScriptEnabled: false }, async (page) => { drawn = await places(page); });
    await open(name, {}, async (page) => {
      for (let finding = 0; finding < await page.locator(".finding").count(); finding++) {
        const first = page.locator(".finding").nth(finding).locator(".chip").first();
        await first.click();
        await first.click();
      }
      const laid = await places(page);
      assert.equal(laid.length, drawn.length);
      const words = (text) => text.replace(/-?\d+(\.\d+)?/g, "#");
      const numbers = (text) => (text.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
      for (const [at, text] of laid.entries()) {
        assert.equal(words(text).replace(/ +/g, " ").trim(), words(drawn[at]).replace(/ +/g, " ").trim());
        const [a, b] = [numbers(text), numbers(drawn[at])];
        assert.ok(a.every((value, place) => Math.abs(value - b[place]) < 0.11), `${drawn[at]} became ${text}`);
      }
    });
  });
}

await fact("large: it is large", () => open(LARGE, {}, async (page) => {
  const { lanes, steps } = await data(page);
  assert.equal(lanes.length, 7);
  assert.ok(steps.length > 200, `${steps.length} steps`);
}));

await fact("large: a chip hides a lane, and the lanes close up", () => open(LARGE, {}, async (page) => {
  const { steps } = await data(page);
  const before = await width(page);
  await chip(page, "n3").click();
  assert.equal(await chip(page, "n3").getAttribute("aria-pressed"), "false");
  const expected = steps.flatMap((step, at) => (step.on.includes(2) ? [] : [at + 1]));
  assert.deepEqual(await shown(page), expected);
  assert.deepEqual(await page.$$eval("#finding-1 .lane-names g:not(.gone) text", (texts) => texts.map((text) => text.textContent)), ["n1", "n2", "n4", "n5", "n6", "n7"]);
  assert.ok(await width(page) < before);
  assert.ok(await apart(page) < 1.5, "names stand above their lanes");
  await shot(page, "large-lane-hidden");
  await chip(page, "n5").click({ modifiers: ["Shift"] });
  assert.equal(await page.locator("#finding-1 .lane-names g:not(.gone)").count(), 1, "this one alone");
  await tool(page, /^Show all/).click();
  assert.equal(await width(page), before);
  assert.equal((await shown(page)).length, steps.length);
}));

await fact("large: a chip hides a kind of messages; a seam says how many steps, and opens them", () => open(LARGE, {}, async (page) => {
  const { steps, groups } = await data(page);
  const before = await height(page);
  const kind = groups.findIndex(({ colour }, at) => colour !== undefined && steps.filter(({ group }) => group === at).length > 10);
  await chip(page, groups[kind].name).click();
  assert.deepEqual(await shown(page), steps.flatMap(({ group }, at) => (group === kind ? [] : [at + 1])));
  assert.ok(await height(page) < before, "hidden rows take no room");
  const seams = await page.$$eval("#finding-1 .seam .number", (texts) => texts.map((text) => Number(text.textContent)));
  assert.equal(seams.reduce((sum, part) => sum + part, 0), steps.filter(({ group }) => group === kind).length);
  const seam = page.locator("#finding-1 .seam").first();
  const [from, to] = [await seam.getAttribute("data-from"), await seam.getAttribute("data-to")].map(Number);
  await seam.locator("rect").click({ position: { x: 8, y: 6 } });
  const now = await shown(page);
  for (let number = from; number <= to; number++) assert.ok(now.includes(number), `step ${number} is open`);
}));

await fact("large: idle steps fold, keys pass over them, and a link to one opens it", () => open(LARGE, {}, async (page) => {
  const { steps } = await data(page);
  const idle = steps.flatMap((step, at) => (step.idle ? [at + 1] : []));
  assert.ok(idle.length > 20, `${idle.length} idle steps`);
  const before = await height(page);
  await page.locator("#finding-1 .diagram").focus();
  await page.keyboard.press("f");
  const rest = await shown(page);
  assert.equal(rest.length, steps.length - idle.length);
  assert.ok(!rest.some((number) => idle.includes(number)));
  assert.ok(rest.includes(steps.length), "the last step is never folded");
  assert.ok(await height(page) < before);
  for (const number of rest.slice(0, 12)) {
    await page.keyboard.press("j");
    assert.equal(await page.locator("#finding-1 .row.current").getAttribute("data-step"), String(number));
  }
  await page.keyboard.press("End");
  await page.keyboard.press("k");
  assert.equal(await page.locator("#finding-1 .row.current").getAttribute("data-step"), String(rest.at(-2)));
  await page.evaluate((step) => { location.hash = `finding-1-step-${step}`; }, idle[3]);
  await page.waitForFunction((step) => document.querySelector(".row.current")?.dataset.step === String(step), idle[3]);
  assert.equal((await shown(page)).length, rest.length + 1);
  await shot(page, "large-folded");
  // A step and a change of layout are fast even on a machine that is busy.
  const times = await page.evaluate(() => {
    const time = (press) => { const from = performance.now(); press(); return performance.now() - from; };
    const fold = document.querySelector("#finding-1 [data-tool=fold]");
    const on = document.querySelector("#finding-1 [data-go=back]");
    return { fold: Math.min(...[1, 2, 3, 4].map(() => time(() => fold.click()))), step: Math.min(...[1, 2, 3, 4].map(() => time(() => on.click()))) };
  });
  assert.ok(times.fold < 500 && times.step < 250, JSON.stringify(times));
}));

await fact("large: search counts, goes on and back, and shows what is hidden", () => open(LARGE, {}, async (page) => {
  const { steps } = await data(page);
  const texts = await page.$$eval("#finding-1 .schedule li code", (codes) => codes.map((code) => code.textContent));
  const ticks = texts.flatMap((text, at) => (text === "tick n5" ? [at + 1] : []));
  assert.ok(ticks.length > 2);
  await page.locator("#finding-1 .diagram").focus();
  await page.keyboard.press("f");
  await page.keyboard.press("/");
  await page.keyboard.type("Tick n5");
  const found = page.locator("#finding-1 .found");
  assert.equal(await found.textContent(), `${ticks.length} found`);
  const current = () => page.locator("#finding-1 .row.current").getAttribute("data-step");
  await page.keyboard.press("Enter");
  assert.equal(await current(), String(ticks[0]));
  assert.equal(await found.textContent(), `1 of ${ticks.length}`);
  await tool(page, "Next match").click();
  assert.equal(await current(), String(ticks[1]));
  await tool(page, "Previous match").click();
  await tool(page, "Previous match").click();
  assert.equal(await current(), String(ticks.at(-1)));
  assert.equal(await page.locator("#finding-1 .row.match").count(), ticks.length);
  await shot(page, "large-search");
  await page.locator("#finding-1 .search input").fill("no such thing");
  assert.equal(await found.textContent(), "none");
  assert.ok(await tool(page, "Next match").isDisabled());
  assert.ok(steps.length > 0);
}));

await fact("large: zoom, fit and full width", () => open(LARGE, {}, async (page) => {
  const row = () => page.$eval("#finding-1 .row[data-step='5']", (rect) => rect.getBoundingClientRect().height);
  const before = await row();
  await tool(page, "Zoom out").click();
  assert.ok(await row() < before);
  assert.ok(await apart(page) < 1.5, "names stand above their lanes");
  await tool(page, "Zoom to fit the width").click();
  assert.ok(await page.$eval("#finding-1 .diagram", (box) => box.scrollWidth <= box.clientWidth + 1), "it fits");
  await page.locator("#finding-1 .diagram").focus();
  await page.keyboard.press("0");
  assert.equal(await row(), before);
  await page.keyboard.press("+");
  assert.ok(await row() > before);
  const box = () => page.$eval("#finding-1 .diagram", (diagram) => diagram.clientWidth);
  await page.setViewportSize({ width: 1800, height: 900 });
  const narrow = await box();
  await tool(page, "Full width").click();
  assert.ok(await box() > narrow + 200);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shot(page, "large-full-width");
}));

await fact("large: the overview shows where one is, and goes there", () => open(LARGE, {}, async (page) => {
  const strip = page.locator("#finding-1 .overview");
  await strip.scrollIntoViewIfNeeded();
  const { width: wide, height: high } = await strip.boundingBox();
  const top = () => page.$eval("#finding-1 .diagram", (box) => box.scrollTop);
  const window = () => page.$eval("#finding-1 .overview .window", (part) => parseFloat(part.style.top));
  assert.equal(await window(), 0);
  await strip.click({ position: { x: wide / 2, y: high * 0.75 } });
  const there = await top();
  assert.ok(there > 500 && await window() > 50, `${there} ${await window()}`);
  await strip.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector("#finding-1 .diagram").scrollTop === 0);
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => document.querySelector("#finding-1 .diagram").scrollTop > 100);
  assert.equal(await page.locator("#finding-1 .row.current").count(), 0, "its keys scroll and choose no step");
}));

await fact("large: the past and the future of a step", () => open(LARGE, {}, async (page) => {
  const { steps } = await data(page);
  const related = async (number) => {
    await page.evaluate((step) => { location.hash = `finding-1-step-${step}`; }, number);
    await page.waitForFunction((step) => document.querySelector(".row.current")?.dataset.step === String(step), number);
    return page.evaluate(() => Object.fromEntries(["past", "future"].map((name) =>
      [name, [...document.querySelectorAll(`#finding-1 .row.${name}`)].map((row) => Number(row.dataset.step))])));
  };
  await page.locator("#finding-1 .diagram").focus();
  await page.keyboard.press("c");
  assert.equal(await page.locator("#finding-1 .row.current").getAttribute("data-step"), String(steps.length), "without a step it is the last one");
  const delivery = steps.findIndex((step, at) => at > steps.length / 2 && step.text.startsWith("deliver ")) + 1;
  const sent = Number(await page.locator(`#finding-1 .step[data-step="${delivery}"] .message.received`).getAttribute("data-sent"));
  const { past, future } = await related(delivery);
  assert.ok(past.includes(sent), "it was sent before it was received");
  assert.ok(past.every((number) => number < delivery) && future.every((number) => number > delivery));
  assert.ok(past.length + future.length < steps.length - 1, "something is concurrent");
  assert.ok((await related(sent)).future.includes(delivery), "what is past to one is future to the other");
  await related(delivery);
  const told = await page.locator("#finding-1 .relations").textContent();
  assert.equal(told, `${past.length} in its past${future.length} in its future${steps.length - 1 - past.length - future.length} concurrent`);
  await shot(page, "large-causes");
  await page.keyboard.press("c");
  assert.equal(await page.locator("#finding-1 .row.past").count(), 0);
}));

await fact("campaign: what did not change in a state of the specification is folded", () => open("campaign", {}, async (page) => {
  await page.locator("#finding-1 .diagram").focus();
  const steps = await page.locator("#finding-1 .step").count();
  let folded = null;
  for (let step = 0; step < steps && !folded; step++) {
    await page.keyboard.press("ArrowRight");
    const boxes = await page.locator("#finding-1 .state").evaluateAll((all) => all.map((box) => box.dataset.name));
    folded = boxes.find((name) => /variables? (is|are) unchanged$/.test(name));
  }
  assert.ok(folded, "a step changes some variables and not the others");
  const box = page.locator(`#finding-1 .state[data-name="${folded}"]`);
  assert.doesNotMatch(await box.textContent(), /=/, "only names");
  await box.getByRole("button").click();
  assert.match(await box.textContent(), /^\/\\ \w+ = /);
  await shot(page, "campaign-unchanged");
}));

await fact("large: on a phone the current step stands above the sheet, which scrolls sideways", () => open(LARGE, PHONE, async (page) => {
  const isTooWide = () => page.evaluate((most) => document.documentElement.scrollWidth > most || innerWidth > most, 390);
  const box = (selector) => page.locator(`#finding-1 ${selector}`).boundingBox();
  await page.locator("#finding-1 .diagram").scrollIntoViewIfNeeded();
  await page.locator("#finding-1 .panel").getByRole("button", { name: "Last step" }).tap();
  await page.getByRole("button", { name: "One step back" }).first().tap();
  await page.waitForURL(/-step-/);
  const [panel, sheet, row] = [await box(".panel"), await box(".diagram"), await box(".row.current")];
  assert.ok(panel.y >= 0 && panel.y + panel.height <= sheet.y + 1, "the step is above the sheet");
  assert.ok(row.y >= sheet.y && row.y + row.height <= Math.min(844, sheet.y + sheet.height), "and both are in view");
  assert.ok(await page.locator("#finding-1 .detail h3").isVisible());
  assert.ok(await page.$eval("#finding-1 .diagram", (diagram) => { diagram.scrollLeft = 100; return diagram.scrollLeft === 100; }));
  assert.equal(await isTooWide(), false);
  await shot(page, "large-phone-step");
}));

await fact("axe finds nothing serious", async () => {
  for (const [name, options] of [["sample", { colorScheme: "light" }], ["sample", { colorScheme: "dark" }], ["campaign", {}], ["rounds", {}], [LARGE, {}], [LARGE, PHONE]]) {
    await open(name, options, async (page) => {
      await page.locator(".diagram").first().focus();
      await page.keyboard.press("End");
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
        return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200)]);
      });
      assert.deepEqual(found, [], `${name} ${JSON.stringify(options)}`);
    });
  }
});

await end();
