// browser.mjs - drives a headless Chromium, in which tests look at the page as a person does.
//
// puppeteer-core's bundle for browsers needs no other package; its messages go by a pipe to Chromium, which is started
// here. BROWSER names another one than `chromium`. What the page logs as an error, or lets escape, is in page.problems.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const FLAGS = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-extensions",
  "--disable-background-networking", "--disable-component-update", "--no-default-browser-check", "--mute-audio",
  "--force-color-profile=srgb", "--font-render-hinting=none", "--js-flags=--expose-gc", "--enable-precise-memory-info"];
const WAIT_MOST = 600000; // ms for anything: the machine may be slow and busy, a hang is told in the end
const ENVIRONMENT = { ...process.env, LC_ALL: "C.UTF-8" }; // else Chromium drops no file with a name that is not ASCII
export const build = resolve(process.env.BUILD ?? "build");

/** puppeteer, of the package that make judges-deps gets. In node it would have a package tell what it does: it need
 *  not. */
function puppeteer() {
  const bundle = join(build, "tools/puppeteer-core/package/lib/es5-iife/puppeteer-core-browser.js");
  if (!existsSync(bundle)) {
    console.error(`${bundle} is missing: make judges-deps gets it`);
    process.exit(1);
  }
  const load = vm.runInThisContext(`(require) => { ${readFileSync(bundle, "utf8")};return Puppeteer; }`,
    { filename: bundle });
  return load(() => ({ __esModule: true, default: () => () => {} }));
}

/** Messages by the pipes 3 and 4 of a process, each ended by a zero byte. */
function transportOf(child) {
  const [, , , to, from] = child.stdio;
  let rest = "";
  const transport = {
    send: (message) => to.write(`${message}\0`),
    close: () => to.end(),
    onmessage: undefined,
    onclose: undefined,
  };
  from.setEncoding("utf8");
  from.on("data", (part) => {
    const messages = (rest + part).split("\0");
    rest = messages.pop();
    for (const message of messages) transport.onmessage?.(message);
  });
  for (const ended of ["exit", "error"]) child.on(ended, () => transport.onclose?.());
  to.on("error", () => {});
  return transport;
}

/** How a browser ended: came is done then, how() tells it with the last lines that it printed. */
function endOf(child) {
  let printed = "", how = "runs";
  child.stderr.setEncoding("utf8").on("data", (part) => {
    printed = (printed + part).replace(/.*ERROR:dbus.*\n/g, "").slice(-2000); // there need be no message bus
  });
  const came = new Promise((done) => {
    child.on("error", (error) => done(how = String(error)));
    child.on("exit", (code, signal) => done(how = `ended with ${signal ?? code}`));
  });
  return { came, how: () => `The browser ${how}. It printed:\n${printed}` };
}

/** Remove a folder; false: a process has just put something into it. */
function isRemoved(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Start a browser: flags are further ones. Close it by close(). */
export async function launch(flags = []) {
  const profile = mkdtempSync(join(tmpdir(), "tlog-page-"));
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(process.env.BROWSER ?? "chromium", [...FLAGS, ...root, `--user-data-dir=${profile}`, ...flags],
    { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"], env: ENVIRONMENT });
  const end = endOf(child);
  const browser = await puppeteer().connect({ transport: transportOf(child), protocolTimeout: WAIT_MOST,
    defaultViewport: { width: 1280, height: 800 } })
    .catch((error) => {
      isRemoved(profile);
      throw new Error(`${end.how()}\n${error.message}`);
    });
  return {
    browser,
    end,
    async close() {
      browser.close().catch(() => {});
      const hung = setTimeout(() => child.kill("SIGKILL"), 60000);
      await end.came;
      clearTimeout(hung);
      await until("the browser's processes leave its profile alone", () => isRemoved(profile));
    },
  };
}

/** In the page, ahead of its script: count the timers that have yet to run. */
function countTimers() {
  const set = window.setTimeout.bind(window), clear = window.clearTimeout.bind(window), left = new Set();
  window.setTimeout = (run, ms) => {
    const id = set(() => {
      left.delete(id);
      run();
    }, ms);
    left.add(id);
    return id;
  };
  window.clearTimeout = (id) => {
    left.delete(id);
    clear(id);
  };
  window.isAtRest = () => left.size === 0;
}

/** Wait until the page has done all that it put off: timers and frames. */
export const rested = (page) => page.waitForFunction(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(window.isAtRest())))), { polling: 20 });

/** Open a file in a new tab. fragment: what follows # in its address. before: runs ahead of the page's script. */
export async function open({ browser }, path,
  { fragment = "", width = 1280, height = 800, dark = false, before } = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(WAIT_MOST);
  for (const run of [countTimers, before ?? (() => {})]) await page.evaluateOnNewDocument(run);
  page.problems = [];
  page.on("console", (said) => { if (said.type() === "error") page.problems.push(said.text()); });
  page.on("pageerror", (error) => page.problems.push(String(error?.stack ?? error)));
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.goto(pathToFileURL(resolve(path)).href + (fragment && `#${fragment}`));
  return page;
}

/** The empty page that make page makes. */
export const openEmpty = (browser, options) => open(browser, join(build, "page/page.html"), options);

/** Drop files onto the page. */
export async function drop(page, paths) {
  const chooser = await page.evaluateHandle(() => {
    const made = document.createElement("input");
    made.type = "file";
    made.multiple = true;
    document.body.append(made);
    return made;
  });
  const { node } = await page._client().send("DOM.describeNode", { objectId: chooser.remoteObject().objectId });
  await page._client().send("DOM.setFileInputFiles",
    { files: paths.map((path) => resolve(path)), backendNodeId: node.backendNodeId });
  await chooser.evaluate((made) => {
    const data = new DataTransfer();
    for (const file of made.files) data.items.add(file);
    made.remove();
    document.body.dataset.state = "dropped"; // no state of the page: what follows is this drop's
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
}

/** Wait until the page is in one of these states: empty, reading, drawn (the picture), shown (its answers, too),
 *  failed. */
export async function inState(page, states) {
  await page.waitForFunction((wanted) => wanted.includes(document.body.dataset.state), { polling: 20 },
    [states].flat()).catch(async () => {
    throw new Error(`the page is not ${states}, but ${await page.evaluate(() => document.body.dataset.state)}: ` +
      `${await textOf(page, "#trouble")} ${page.problems.join(" ")}`);
  });
  return page.evaluate(() => document.body.dataset.state);
}

/** Wait until a condition holds here, in node. */
export async function until(what, holds, seen = () => "") {
  for (const begin = Date.now(); !holds(); await new Promise((done) => setTimeout(done, 20)))
    if (Date.now() - begin > WAIT_MOST) return check(what, false, seen());
}

/** Drop files, and wait until all is shown. */
export async function show(page, paths) {
  await drop(page, paths);
  return inState(page, ["shown", "failed"]);
}

/** Write a picture of what is on the screen. */
export async function picture(page, path) {
  writeFileSync(path, Buffer.from(await page.screenshot({ encoding: "base64" }), "base64"));
}

export const textOf = (page, selector) =>
  page.evaluate((at) => document.querySelector(at)?.textContent ?? "", selector);

/** What the native decoder says. */
export const native = (...given) => execFileSync(join(build, "tlog-decode"), given,
  { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });

/** Checks that have failed, and the part of the checks that runs. */
let failures = 0, running = "";
export function check(what, good, seen = "") {
  if (good) return;
  failures++;
  console.log(`${running}${what}: ${typeof seen === "string" ? seen : JSON.stringify(seen)}`);
}

/** Run a function with a browser, close that, and end with exit code 1 if a check has failed. part(name) tells which
 *  part comes next. */
export async function checks(run, flags) {
  const browser = await launch(flags);
  try {
    await run(browser, (name) => { running = `${name}: `; });
  } catch (error) {
    check("stopped", false, `${browser.end.how()}\n${error.stack}`);
  } finally {
    await browser.close();
  }
  process.exitCode = failures > 0 ? 1 : 0;
}
