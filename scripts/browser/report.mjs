// The end-to-end test of the HTML report. See scripts/browser-test.sh, which calls it with the folder of the pages.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { PHONE, address, apart, browser, end, fact, open, out, schedule, shot } from "./pages.mjs";

const names = readdirSync(out).filter((name) => name.endsWith(".json")).map((name) => name.replace(/\.json$/, ""));
const count = (lines, word) => lines.filter((line) => line.startsWith(`${word} `)).length;

for (const name of names) {
  const lines = schedule(name);

  await fact(`${name}: the diagram shows what the schedule says`, () => open(name, {}, async (page) => {
    const number = (selector) => page.locator(selector).count();
    assert.equal(await number(".space-time .message.received"), count(lines, "deliver"), "one arrow for each delivery");
    assert.equal(await number(".space-time .step"), lines.length, "one group for each step");
    for (const [word, mark] of [["crash", ".crash"], ["restart", ".restart"], ["cut", "path.cut"], ["heal", "path.heal"],
      ["duplicate", "[data-kind=duplicate] .doubling:last-of-type"], ["request", ".asked"], ["round", ".round-name"]])
      assert.equal(await number(`.space-time [data-kind=${word}] ${mark.replace(/^\[.*?\] /, "")}`), count(lines, word), `one mark for each ${word}`);
    assert.equal(await number(".space-time [data-kind=drop] .message.lost .cross"), count(lines, "drop"), "one cross for each drop");
    assert.equal(await number(".space-time .message.doubled"), count(lines, "duplicate"), "one copy for each duplicate");
    // Each arrow is that of its step, and ends in the lane of its receiver.
    const arrows = await page.$$eval(".step[data-kind=deliver]", (steps) => steps.map((step) =>
      [step.dataset.step, step.querySelector(".message.received").dataset.message, step.querySelector("circle.moment").getAttribute("cx")]));
    const lanes = await page.$$eval(".lane-names text", (texts) => Object.fromEntries(texts.map((text) => [text.textContent, text.getAttribute("x")])));
    for (const [step, message, x] of arrows) {
      assert.equal(`deliver ${message}`, lines[step - 1]);
      assert.equal(x, lanes[/>(n\d+)#/.exec(message)[1]], "the receiver's lane");
    }
    const listed = await page.$$eval(".schedule li code", (codes) => codes.map((code) => code.textContent));
    assert.deepEqual(listed, lines, "the list is the schedule");
  }));

  await fact(`${name}: keys go forwards and backwards, and say what each step is`, () => open(name, {}, async (page) => {
    const text = () => page.locator(".detail h3").textContent();
    const isInBox = () => page.$eval(".diagram", (box) => {
      const [inner, row] = [box.getBoundingClientRect(), box.querySelector(".row.current").getBoundingClientRect()];
      return row.top >= inner.top - 1 && row.bottom <= inner.bottom + 1 && row.top >= 0 && row.bottom <= innerHeight;
    });
    await page.locator(".diagram").focus();
    const keys = ["ArrowRight", "ArrowDown", "j"];
    for (const [at, line] of lines.entries()) {
      await page.keyboard.press(keys[at % 3]);
      assert.equal(await text(), line);
      assert.equal(await page.locator(".schedule li.current code").textContent(), line);
      assert.equal(await page.locator(".row.current").getAttribute("data-step"), String(at + 1));
      assert.equal(await page.locator(".step.later").count(), lines.length - at - 1, "later steps are faded");
      assert.ok(await isInBox(), `step ${at + 1} is in view`);
    }
    await page.keyboard.press("j");
    assert.equal(await text(), lines.at(-1), "the last step is the last");
    for (const [key, line] of [["ArrowLeft", lines.at(-2)], ["ArrowUp", lines.at(-3)], ["k", lines.at(-4)], ["Home", lines[0]],
      ["k", lines[0]], ["End", lines.at(-1)], ["Home", lines[0]], ["ArrowRight", lines[1]]]) {
      await page.keyboard.press(key);
      assert.equal(await text(), line, key);
    }
    await page.waitForURL(/#finding-1-step-2$/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".step.later").count(), 0, "all of it is shown again");
    await page.getByRole("button", { name: "Last step" }).click();
    assert.equal(await text(), lines.at(-1));
  }));

  await fact(`${name}: pointing shows the message, a click shows states`, () => open(name, {}, async (page) => {
    const step = lines.findIndex((line) => line.startsWith("deliver ")) + 1;
    const message = page.locator(`.step[data-step="${step}"] .message.received`);
    await message.scrollIntoViewIfNeeded();
    const shaft = message.locator(".grab");
    // A point on the arrow near its end, where nothing else lies over it.
    const point = await shaft.evaluate((path) => {
      const at = path.getPointAtLength(path.getTotalLength() - 12).matrixTransform(path.getScreenCTM());
      return { x: at.x, y: at.y };
    });
    assert.ok(await page.locator(".tip-box").isHidden());
    await page.mouse.move(point.x, point.y);
    const [, id, kind] = lines[step - 1].split(" ");
    const tip = await page.locator(".tip-box").innerText();
    assert.ok(tip.startsWith(`${kind} ${id}`), tip);
    assert.match(tip, new RegExp(`received at step ${step}$`));
    await page.mouse.click(point.x, point.y);
    assert.equal(await page.locator(".detail h3").textContent(), lines[step - 1]);
    const node = />(n\d+)#/.exec(id)[1];
    assert.ok((await page.locator(".detail h4").allTextContents()).includes(`State of ${node}`));
    assert.ok(await page.locator(".detail .state").count() >= 1);
    await page.mouse.move(2, 2);
    assert.ok(await page.locator(".tip-box").isHidden());
    const tick = lines.findIndex((line) => line.startsWith("tick ")) + 1;
    if (tick > 0) {
      await page.locator(`.row[data-step="${tick}"]`).click({ position: { x: 8, y: 5 } });
      assert.equal(await page.locator(".detail h3").textContent(), lines[tick - 1]);
    }
  }));

  await fact(`${name}: the buttons copy command, schedule and text`, () => open(name, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    const copied = async (button) => {
      await page.getByRole("button", { name: button }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.match(await copied("Copy the replay command"), /replay .*\.json$/);
    assert.deepEqual((await copied("Copy the schedule")).trimEnd().split("\n"), lines);
    await page.locator(".plain summary").click();
    assert.match(await copied("Copy the plain text"), /is violated[\s\S]*n1 +n2/);
  }));

  await fact(`${name}: without script the diagram and the schedule are there`, () => open(name, { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator(".space-time .message.received").count(), count(lines, "deliver"));
    assert.ok(await page.locator(".space-time .message.received title").first().textContent());
    assert.equal(await page.locator(".schedule li").count(), lines.length);
  }));
}

await fact("campaign: where a specification is mapped, a step shows its actions and its states", () => open("campaign", {}, async (page) => {
  const told = async () => ({
    heads: await page.locator("#finding-1 .detail h4").allTextContents(),
    actions: await page.locator("#finding-1 .detail .action").allTextContents(),
    states: await page.locator("#finding-1 .detail .state").allTextContents(),
  });
  await page.locator("#finding-1 .diagram").focus();
  const seen = [];
  const steps = await page.locator("#finding-1 .step").count();
  for (let step = 0; step < steps; step++) {
    await page.keyboard.press("ArrowRight");
    seen.push(await told());
  }
  const first = seen.find(({ actions }) => actions.some((action) => action.startsWith("Campaigns(")));
  assert.ok(first, "somebody runs for leader");
  assert.ok(first.heads.includes("State of the specification"), first.heads.join());
  assert.ok(first.states.some((state) => state.includes("currentTerm")), first.states.join());
  // The fault: a leader wins with fewer votes than the specification asks for.
  const forbidden = seen.flatMap(({ actions }) => actions).filter((action) => action.includes("not allowed here"));
  assert.ok(forbidden.some((action) => action.startsWith("Wins(")), forbidden.join());
}));

for (const name of [...names, "sample"]) {
  await fact(`${name}: light, dark and on a phone`, async () => {
    const lightness = (page) => page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
      return (r + g + b) / 3;
    });
    for (const scheme of ["light", "dark"]) {
      await open(name, { colorScheme: scheme }, async (page) => {
        assert.equal(await lightness(page) > 128, scheme === "light");
        assert.ok(await apart(page) < 1.5, "names stand above their lanes");
        await shot(page, `${name}-${scheme}`);
        await page.screenshot({ path: join(out, `${name}-${scheme}-whole.png`), fullPage: true });
        // The address of a step can be sent to somebody: it opens there.
        const step = Math.ceil(await page.locator("#finding-1 .step").count() * 0.7);
        await page.evaluate((hash) => { location.hash = hash; }, `finding-1-step-${step}`);
        await page.waitForFunction(() => document.querySelector(".row.current"));
        assert.equal(await page.locator(".row.current").getAttribute("data-step"), String(step));
        await shot(page, `${name}-${scheme}-step`);
        await page.getByRole("button", { name: "Light or dark" }).click();
        assert.equal(await lightness(page) > 128, scheme === "dark", "the button turns it around");
      });
    }
    await open(name, PHONE, async (page) => {
      // A browser on a phone zooms out when a page is too wide, so the width of the window says nothing.
      const isTooWide = () => page.evaluate((width) => document.documentElement.scrollWidth > width || innerWidth > width, 390);
      assert.equal(await isTooWide(), false, "the page itself does not scroll sideways");
      await shot(page, `${name}-phone`);
      await page.locator(".diagram").first().scrollIntoViewIfNeeded();
      await page.getByRole("button", { name: "First step" }).first().tap();
      await page.getByRole("button", { name: "One step on" }).first().tap();
      assert.match(await page.locator(".place").first().textContent(), /^step 2 of /);
      assert.equal(await isTooWide(), false);
      await shot(page, `${name}-phone-step`);
    });
    await open(name, {}, async (page) => {
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".bar").isVisible(), false, "no bar on paper");
      assert.ok(await page.locator(".space-time").first().isVisible());
      await page.setViewportSize({ width: 794, height: 1123 });
      assert.ok(await apart(page) < 1.5, "names stand above their lanes on paper too");
    });
  });
}

await fact("sample: what is written can be read: contrast of at least 4.5", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await open("sample", { colorScheme }, async (page) => {
      await page.locator(".diagram").first().focus();
      await page.keyboard.press("End");
      const poor = await page.evaluate(() => {
        const parse = (colour) => {
          const parts = colour.match(/-?[\d.]+/g).map(Number);
          const [r, g, b, alpha = 1] = colour.startsWith("color(") ? [...parts.slice(0, 3).map((part) => part * 255), ...parts.slice(3)] : parts;
          return { rgb: [r, g, b], alpha };
        };
        const over = ({ rgb, alpha }, below) => rgb.map((part, at) => part * alpha + below[at] * (1 - alpha));
        const behind = (element) => {
          const layers = [];
          for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
          return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
        };
        const luminance = (rgb) => rgb
          .map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
          .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
        const isText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        return [...document.body.querySelectorAll("*")]
          .filter((element) => !["SCRIPT", "TITLE"].includes(element.tagName.toUpperCase()) && isText(element) && element.checkVisibility() && !element.disabled)
          .map((element) => {
            const style = getComputedStyle(element);
            const below = behind(element);
            const ink = over(parse(element instanceof SVGElement ? style.fill : style.color), below);
            const [light, dark] = [luminance(ink), luminance(below)].sort((a, b) => b - a);
            return [(light + 0.05) / (dark + 0.05), element.textContent.trim().slice(0, 40), element.getAttribute("class")];
          })
          .filter(([contrast]) => contrast < 4.5);
      });
      assert.deepEqual(poor, [], colorScheme);
    });
  }
});

await fact("sample: foreign text stays text, and no script runs but ours", () => open("sample", {}, async (page) => {
  const hostile = page.locator("#finding-3");
  assert.match(await hostile.locator("h2").textContent(), /^<\/script><script>.*<img src=x onerror=/);
  await hostile.locator(".diagram").focus();
  await page.keyboard.press("End");
  assert.match(await hostile.locator(".detail").textContent(), /<img src=x onerror=/);
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.title(), /^Sample report/);
}));

await fact("sample: the page refuses a script that is not ours", async () => {
  const page = await browser.newPage();
  await page.goto(address("sample"));
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'x'";
    document.body.append(script);
  });
  assert.match(await page.title(), /^Sample report/);
  await page.close();
});

await end();
