// pictures.mjs - writes README's pictures of the page: the demo's first priority inversion, light and dark.
// usage: BUILD=build node pictures.mjs FOLDER     (after make deps-test judges-deps page demo; make pictures calls it)
import { join } from "node:path";
import { build, checks, inState, open, picture } from "./browser.mjs";

const [folder] = process.argv.slice(2);
const INVERSION = /waited/;

/** The page with the trace in it; the longest wait of the problems is chosen, with what is around it. */
async function take(browser, dark) {
  const page = await open(browser, join(build, "demo/trace.html"), { width: 1280, height: 860, dark });
  await inState(page, "shown");
  await page.click("#tab-problems");
  await page.evaluate((text) => {
    const rows = [...document.querySelectorAll("#list-problems .list-box [aria-rowindex]")];
    rows.find((row) => new RegExp(text).test(row.textContent)).click();
  }, INVERSION.source);
  await new Promise((done) => setTimeout(done, 500));
  await picture(page, join(folder, dark ? "page-dark.png" : "page.png"));
}

await checks(async (browser) => {
  await take(browser, false);
  await take(browser, true);
});
