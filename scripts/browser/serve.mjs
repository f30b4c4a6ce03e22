// The end-to-end test of the live page: a campaign runs, and what it finds appears without a reload. See
// scripts/browser-test.sh, which calls it with the program and the folder for screenshots.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT).href);
const axe = readFileSync(process.env.AXE, "utf8");
const [program, out] = process.argv.slice(2).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), "shakedown-serve-test-"));
mkdirSync(out, { recursive: true });
const children = [];

/** Starts the program; its campaigns find nothing unless they are told to. */
function start(...words) {
  const child = spawn(program, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}
const run = (name, ...words) => start("run", "planted-raft", "--no-regressions", "--jobs", "1", "--keep", join(folder, name), ...words);
const faulty = ["--nodes", "5", "--set", "fault=quorum-third", "--shrink-budget", "300", "--measure", "state"];

let facts = 0;
async function fact(text, prove) {
  await prove();
  facts += 1;
  console.log(`ok  ${text}`);
}

let browser;
try {
  const server = start("serve", folder);
  const [line] = await once(createInterface(server.stdout), "line");
  const address = line.replace(/^live page /, "");
  browser = await chromium.launch({ executablePath: process.env.BROWSER, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const [complaints, strangers] = [[], []];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => request.url().startsWith(address) || request.url().startsWith("data:") || strangers.push(request.url()));
  let loads = 0;
  page.on("load", () => { loads += 1; });
  const title = (name) => page.locator(".campaign", { has: page.locator(".eyebrow", { hasText: new RegExp(`^${name}$`) }) });
  const serious = async (what, options = {}) => {
    // The page's own policy forbids scripts that are put into it, so axe is evaluated, not loaded.
    await page.evaluate(axe);
    const { violations } = await page.evaluate((options) => window.axe.run(document, options), options);
    const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(bad.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html).join(" | ")}`), []);
  };

  await fact("a folder without campaigns says so", async () => {
    await page.goto(address);
    await page.getByText("No campaign is stored here yet").waitFor();
    await page.locator("#link.on").waitFor();
  });

  const slow = run("running", "--jobs", "1", "--executions", "100000000", "--measure", "state");
  await fact("a campaign that begins appears, and counts on", async () => {
    const card = title("running");
    await card.locator(".state.running").waitFor();
    const executions = async () => Number((await card.locator("dd b").first().textContent()).replace(/\D/g, ""));
    const before = await executions();
    await page.waitForFunction(([id, before]) => Number(document.querySelector(`#${id} dd b`).textContent.replace(/\D/g, "")) > before,
      [await card.getAttribute("id"), before]);
    await card.locator("figure svg .curve").waitFor();
    await card.getByText("last new by state").waitFor();
    await card.locator(".spark").waitFor();
    await card.getByText("Nothing found").waitFor();
  });

  await fact("a finding appears without a reload, beside a campaign that runs", async () => {
    const [code] = await once(run("finds", "--executions", "100", ...faulty), "exit");
    assert.equal(code, 1);
    const card = title("finds");
    await card.locator(".found a").waitFor();
    assert.equal(await card.locator(".found li").count(), 1);
    await card.getByText("finished").waitFor();
    assert.equal(await page.locator("#news").textContent(), "A new finding");
    assert.equal(await page.locator(".days tbody tr").first().locator("b.bad").textContent(), "1");
    assert.equal(loads, 1, "the page was loaded once");
  });

  await fact("a replay is started from the page, and what it comes to appears", async () => {
    const card = title("finds");
    await card.getByRole("button", { name: /^Replay / }).focus();
    await page.keyboard.press("Enter");
    await card.getByText("still fails").waitFor();
    assert.equal(loads, 1);
  });

  await fact("nothing serious by axe, light and dark; nothing from elsewhere; the console is empty", async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await serious(`live page, ${colorScheme}`);
      await page.screenshot({ path: join(out, `serve-${colorScheme}.png`), fullPage: true });
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(strangers, []);
  });

  await fact("on a phone nothing is wider than the screen", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(out, `serve-phone-${colorScheme}.png`), fullPage: true });
    }
    const widest = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, innerWidth));
    assert.ok(widest <= 390, `${widest} pixels`);
    await serious("live page on a phone");
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await fact("a finding can be stepped through, and the way leads back", async () => {
    await title("finds").locator(".found a").click();
    await page.locator(".space-time").waitFor();
    await page.locator(".diagram").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/#finding-1-step-1$/);
    await page.screenshot({ path: join(out, "serve-finding.png") });
    await page.getByRole("link", { name: "← All campaigns" }).click();
    await title("finds").waitFor();
  });

  await fact("any execution of a running campaign can be stepped through, and the next one", async () => {
    const card = title("running");
    await card.getByLabel("Step through execution").fill("41");
    await card.getByRole("button", { name: "Show" }).click();
    await page.getByRole("heading", { name: "execution 41 violates nothing" }).waitFor();
    await page.screenshot({ path: join(out, "serve-execution.png") });
    await page.getByRole("link", { name: "Execution 42" }).click();
    await page.getByRole("heading", { name: "execution 42 violates nothing" }).waitFor();
    await page.getByRole("link", { name: "← All campaigns" }).click();
  });

  await fact("a campaign whose process is killed is stopped", async () => {
    await page.locator("#link.on").waitFor();
    slow.kill("SIGKILL");
    await title("running").locator(".state.stopped").waitFor();
  });

  await fact("without the token, and without a server, there is nothing to see", async () => {
    const other = await context.newPage();
    const answer = await other.goto(address.replace(/[0-9a-f]{32}/, "0".repeat(32)));
    assert.equal(answer.status(), 403);
    await other.close();
    server.kill("SIGINT");
    await page.locator("#link.off").waitFor();
  });
  assert.deepEqual(strangers, []);
  console.log(`${facts} facts hold of the live page`);
} finally {
  await browser?.close();
  children.forEach((child) => child.kill("SIGKILL"));
  rmSync(folder, { recursive: true, force: true });
}
