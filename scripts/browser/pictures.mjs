// Takes the pictures of the book. See scripts/pictures.sh, which calls it with the folder of the pages and that of the pictures.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT).href);
const [pages, pictures] = process.argv.slice(2).map((folder) => resolve(folder));
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});

/** A picture of a page from the element that `selector` finds, as large as a reader's window. */
async function take(name, source, selector, { width, height }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light" });
  await page.goto(pathToFileURL(join(pages, source)).href);
  await page.locator(selector).first().evaluate((element) => element.scrollIntoView({ block: "start" }));
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" });
  await page.close();
}

await take("finding", "finding.html", "body", { width: 1200, height: 900 });
await take("comparison", "comparison.html", "body", { width: 1200, height: 900 });
await browser.close();
