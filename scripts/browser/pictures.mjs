// Takes the pictures of the book. See scripts/pictures.sh, which calls it with the folder of the pages and that of the pictures.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT).href);
const [pages, pictures] = process.argv.slice(2).map((folder) => resolve(folder));
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  // Letters without coloured edges: smaller files, and the same on every screen.
  args: ["--disable-lcd-text", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
});

/** A picture of a page from the element that `selector` finds, as large as a reader's window. */
async function take(name, source, selector, { width, height }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light" });
  await page.goto(pathToFileURL(join(pages, source)).href);
  await page.locator(selector).first().evaluate((element) => window.scrollTo(0, element.getBoundingClientRect().top - 80));
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" });
  await page.close();
}

await take("finding", "finding.html", "h3:has-text('Why it failed')", { width: 1060, height: 770 });
await take("comparison", "comparison.html", "#comparison", { width: 1200, height: 900 });
await browser.close();
