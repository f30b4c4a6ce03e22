// What the browser tests share: a browser, the pages in the folder that they are called with, and facts that are proved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT).href);
export const out = resolve(process.argv[2]);
export const schedule = (name) => JSON.parse(readFileSync(join(out, `${name}.json`), "utf8")).schedule;
export const address = (name) => pathToFileURL(join(out, `${name}.html`)).href;

export const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
let facts = 0;

/** Opens a page in a fresh context, hands it to `look`, and demands that nothing was fetched and nothing complained. */
export async function open(name, options, look) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  const [requests, complaints] = [[], []];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address(name));
  await look(page);
  assert.deepEqual(requests, [address(name)], "nothing but the file itself is loaded");
  assert.deepEqual(complaints, [], "the console is empty");
  await context.close();
}

export async function fact(text, prove) {
  await prove();
  facts += 1;
  console.log(`ok  ${text}`);
}

export const shot = (page, name) => page.screenshot({ path: join(out, `${name}.png`) });

/** A phone: a page that is too wide makes it zoom out. */
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** How far the names of nodes stand from their lanes, at most, in pixels. */
export const apart = (page) => page.$$eval(".diagram", (diagrams) => Math.max(...diagrams.flatMap((diagram) => {
  const middle = (element) => { const { left, right } = element.getBoundingClientRect(); return (left + right) / 2; };
  const shown = (selector) => [...diagram.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const lanes = shown(".lane:not(.down)").map(middle);
  return shown(".lane-names text").map((name) => Math.min(...lanes.map((lane) => Math.abs(lane - middle(name)))));
})));

export async function end() {
  await browser.close();
  console.log(`${facts} facts hold in ${browser.version()}; pages and screenshots: ${out}`);
}
