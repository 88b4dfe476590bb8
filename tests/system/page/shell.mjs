// shell.mjs - how traces come to the page, and leave it: what is dropped, what -o trace.html put in, what is saved.
// usage: node shell.mjs        (BUILD: the directory of the build)
// Judge: the native decoder, whose --stat --json the page must tell of each input; and the browser, which reports what
// the page's policy forbids.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, check, checks, drop, inState, native, open, openEmpty, show, textOf, until } from "./browser.mjs";

const dir = join(build, "test/page");
const dump = join(build, "demo/dump.bin"), elf = join(build, "demo/firmware.elf");
const inDir = (name) => join(dir, name);
const GZIP_MOST = { page: 600 << 10, demo: 60 << 10 }; // bytes by gzip -9

/** Run the native decoder, whatever its exit code is. */
function decode(...given) {
  try {
    return native(...given);
  } catch (error) {
    return error.stdout;
  }
}

/** What the page tells of a trace: figures by task, as they stand in its table with all digits. */
const pageFigures = (page) => page.evaluate(() => {
  const digits = document.querySelector("#panel input[type=checkbox]");
  if (digits && !digits.checked) digits.click();
  return [...document.querySelectorAll("#panel table")].map((table) =>
    [...table.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent)));
});

/** The rows of the page's table whose head begins so. */
const table = (tables, ...head) =>
  tables.find(([first]) => head.every((name) => first?.includes(name)))?.slice(1) ?? [];

/** Compare what the page shows with what the native decoder tells of the same command line. */
async function compare(page, what, ...given) {
  const [stat] = JSON.parse(decode("-q", "--stat", "--json", ...given));
  const tables = await pageFigures(page);
  const shown = table(tables, "task", "running").map(([task, , , , running, runs]) => [task, running, runs]);
  const told = stat.tasks.map((task) => [task.task, task.running, task.runs]);
  const plain = (rows) => JSON.stringify(rows.map((row) =>
    row.map((cell) => String(cell).replace(/(?<=\d) ?ns$/, "").replace(/[^\p{L}\p{N}]/gu, ""))));
  check(`${what}: tasks`, plain(shown) === plain(told) && (told.length > 0 || stat.left_out > 0),
    `page ${plain(shown)} native ${plain(told)}`);
  const summary = await textOf(page, "#summary");
  check(`${what}: events in the sentence`, summary.replaceAll(",", "").includes(`${stat.events} event`), summary);
  check(`${what}: an error of the page`, page.problems.length === 0, page.problems);
}

/** Drop files, and compare. */
async function dropped(page, files, ...given) {
  const names = files.map((file) => file.split("/").pop()).join(" ");
  const state = await show(page, files);
  check(`${names}: state`, state === "shown", `${state}: ${await textOf(page, "#trouble")}`);
  if (state === "shown") await compare(page, names, ...given);
}

/** Every format that can be read, alone, compressed, in an archive. */
async function formats(page) {
  await dropped(page, [dump, elf], dump, `--elf=${elf}`);
  native("-q", `--save-events=${elf}`, "-o", inDir("firmware.events"));
  await dropped(page, [inDir("firmware.events"), dump], dump, `--elf=${elf}`);
  for (const [format, name] of [["trace.dat", "demo.dat"], ["trace.dat-v6", "six.dat"], ["kev", "demo.kev"],
    ["shark", "demo.shark"], ["lttng", "lttng"]])
    native("-q", dump, `--elf=${elf}`, `--format=${format}`, "-o", inDir(name));
  for (const name of ["demo.dat", "six.dat", "demo.kev", "demo.shark"])
    await dropped(page, [inDir(name)], inDir(name));
  execFileSync("tar", ["-C", dir, "-czf", inDir("lttng.tar.gz"), "lttng"]);
  await dropped(page, [inDir("lttng.tar.gz")], inDir("lttng"));
  writeFileSync(inDir("dump.bin.gz"), gzipSync(readFileSync(dump)));
  await dropped(page, [inDir("dump.bin.gz"), elf], dump, `--elf=${elf}`);
}

/** The firmware may come later: then it gives names to the trace that is there. */
async function firmwareLater(page) {
  check("firmware alone: state", await show(page, [inDir("firmware.events")]) === "shown",
    await textOf(page, "#trouble"));
  await dropped(page, [dump], dump);
  check("a dump without firmware: no note", (await textOf(page, "#trouble")).includes("--elf=FILE"));
  await dropped(page, [elf], dump, `--elf=${elf}`);
}

/** What is dropped while the decoder is still compiled waits for it; of two drops the later one is shown. */
async function early(browser) {
  const page = await openEmpty(browser, { before: () => {
    const { compile } = WebAssembly;
    WebAssembly.compile = async (bytes) => {
      await new Promise((done) => { globalThis.goOn = done; });
      return compile(bytes);
    };
  } });
  await page.waitForFunction(() => globalThis.goOn, { polling: 20 });
  await drop(page, [inDir("demo.kev")]);
  await drop(page, [dump, elf]);
  check("it waits", await page.evaluate(() => document.body.dataset.state) === "dropped",
    await textOf(page, "#trouble"));
  await page.evaluate(() => globalThis.goOn());
  check("state", await inState(page, ["shown", "failed"]) === "shown", await textOf(page, "#trouble"));
  await compare(page, "what was dropped later", dump, `--elf=${elf}`);
  await page.close();
}

/** What cannot be shown gets a sentence, and the page goes on. */
async function refusals(browser) {
  const page = await openEmpty(browser);
  const refused = async (what, files, ...words) => {
    check(`${what}: state`, await show(page, files) === "failed",
      await page.evaluate(() => document.body.dataset.state));
    const said = await textOf(page, "#trouble");
    check(`${what}: sentence`, words.every((word) => said.includes(word)), said);
  };
  writeFileSync(inDir("empty"), "");
  writeFileSync(inDir("prose.txt"), "This is no trace.\n".repeat(1000));
  await refused("firmware alone", [elf], "firmware", "Drop the dump");
  await refused("an empty file", [inDir("empty")], "Drop a dump");
  await refused("prose", [inDir("prose.txt")], "prose.txt", "Drop a dump");
  native("-q", dump, "--compress=zlib", "-o", inDir("packed.dat"));
  await refused("a compressed trace.dat", [inDir("packed.dat")], "--compress=none");
  await dropped(page, [dump, elf], dump, `--elf=${elf}`);
  await page.close();
}

/** A damaged dump: what could be read, and that it is not all. */
async function damaged(page) {
  const bytes = readFileSync(dump);
  writeFileSync(inDir("cut.gz"), gzipSync(bytes).subarray(0, 20000));
  for (let at = 5000; at < bytes.length; at += 7001) bytes[at] ^= 0x10;
  writeFileSync(inDir("damaged.bin"), bytes);
  await dropped(page, [inDir("damaged.bin"), elf], inDir("damaged.bin"), `--elf=${elf}`);
  check("damage is told", /damage|skipped|could be read/i.test(await textOf(page, "#trouble")),
    await textOf(page, "#trouble"));
  await dropped(page, [inDir("cut.gz"), elf], inDir("cut.gz"), `--elf=${elf}`);
  check("a cut .gz is told", (await textOf(page, "#trouble")).includes("cut.gz is cut or damaged"));
}

/** Names that are markup, quotes, or turn the direction of writing, stay text: in files, and in a trace. */
async function hostile(page) {
  const name = "<img src=x onerror=alert(1)>&\"'\u202e.bin";
  copyFileSync(dump, inDir(name));
  await dropped(page, [inDir(name), elf], dump, `--elf=${elf}`);
  let bytes = readFileSync(inDir("demo.dat"), "latin1");
  for (const [task, other] of [["sensor", "<s>&\"'"], ["control", "\xe2\x80\xae<i>\\"], ["logger", "</td>x"]])
    bytes = bytes.replaceAll(task, other);
  writeFileSync(inDir("names.dat"), bytes, "latin1");
  await dropped(page, [inDir("names.dat")], inDir("names.dat"));
  check("a name is shown as it is", (await textOf(page, "#panel")).includes("<s>&\"'"));
  check("names became elements",
    await page.evaluate(() => document.querySelectorAll("img, #panel s, #panel i").length) === 0);
}

/** -o trace.html: the same figures as of the same command line. */
async function inside(browser) {
  const calls = {
    demo: [dump, `--elf=${elf}`],
    chosen: [dump, `--elf=${elf}`, "--task=control,sensor", "--time=..0.5"],
    filtered: [dump, `--elf=${elf}`, "--filter=adc_sample.value > 2700 && channel == 0"],
    directory: [inDir("lttng")], archive: [inDir("lttng.tar.gz")],
    gzip: [inDir("dump.bin.gz"), `--elf=${inDir("firmware.events")}`],
    hostile: [inDir("names.dat")],
  };
  for (const [name, given] of Object.entries(calls)) {
    const html = inDir(`${name}.html`);
    decode("-q", ...given, "-o", html);
    const page = await open(browser, html);
    const state = await inState(page, ["shown", "failed"]);
    check(`${name}.html`, state === "shown", await textOf(page, "#trouble"));
    if (state === "shown") await compare(page, `${name}.html`, ...given);
    await page.close();
  }
}

/** What -o trace.html refuses, in a line: no page, and what the page could not read. */
function refusedInside() {
  const told = (environment, ...given) => spawnSync(join(build, "tlog-decode"), given,
    { encoding: "utf8", env: { ...process.env, ...environment } });
  const html = inDir("refused.html");
  const none = told({ TLOG_PAGE: inDir("nowhere.html") }, dump, "-o", html);
  check("no page", none.status === 1 && none.stderr.includes("nowhere.html: No such file"), none.stderr);
  const other = told({ TLOG_PAGE: dump }, dump, "-o", html);
  check("another file than the page", other.status === 1 && other.stderr.includes("is no page of tlog's"),
    other.stderr);
  const blocks = told({}, inDir("packed.dat"), "-o", html);
  check("compressed blocks", blocks.status === 1 && blocks.stderr.includes("--compress=none -o plain.dat"),
    blocks.stderr);
  const input = told({}, dump, "-o", dump);
  check("the input is kept", input.status === 1 && readdirSync(dir).every((name) => !name.startsWith("refused")),
    input.stderr);
}

/** A page whose trace somebody changed: a sentence, and no more. */
async function hostilePages(browser) {
  const html = readFileSync(inDir("demo.html"), "utf8");
  const changes = {
    "no JSON": html.replace(/id="trace">\{/, 'id="trace">['),
    "no files": html.replace(/<script type="text\/plain" class="file">[^]*?<\/script>\n/g, ""),
    "bytes cut": html.replace(/(class="file">.{1000})[^<]*/, "$1"),
    "no base64": html.replace(/class="file">.{100}/, 'class="file">' + "\u00e9!".repeat(50)),
    "options": html.replace('"options":[', '"options":["--save-events=x","--elf=/etc/passwd","-o","/dev/stdout",'),
    "script": html.replace('"inputs":["dump.bin"]', '"inputs":["<script>alert(1)<\\/script>"]'),
  };
  for (const [what, text] of Object.entries(changes)) {
    check(`${what}: the page is as before`, text !== html);
    writeFileSync(inDir("changed.html"), text);
    const page = await open(browser, inDir("changed.html"));
    const state = await inState(page, ["failed", "shown"]);
    check(`a page with ${what}`, state === "failed" && (await textOf(page, "#trouble")).length > 10, state);
    check(`a page with ${what}: errors`, page.problems.length === 0, page.problems);
    await page.close();
  }
  const page = await openEmpty(browser);
  await inState(page, "empty");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.body.dataset.foreign = 1";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='document.body.dataset.foreign = 1'>");
  });
  await page.waitForFunction(() => document.querySelector("img").complete, { polling: 20 });
  const forbidden = () => page.problems.filter((text) => /Content Security Policy/.test(text)).length;
  await until("the browser tells that the policy forbids both", () => forbidden() >= 2, () => page.problems);
  check("the policy lets a foreign script run", await page.evaluate(() => document.body.dataset.foreign) === undefined);
  await page.close();
}

/** What the page saves is what the native decoder writes, up to what differs from run to run. */
async function saved(page) {
  await dropped(page, [dump, elf], dump, `--elf=${elf}`);
  for (const [id, format] of [["save-dat", "trace.dat"], ["save-pftrace", "perfetto"]]) {
    const bytes = await page.evaluate(async (button) => {
      const { click } = HTMLAnchorElement.prototype, made = URL.createObjectURL;
      const blob = await new Promise((done) => {
        URL.createObjectURL = (of) => (done(of), made.call(URL, of));
        HTMLAnchorElement.prototype.click = () => {};
        document.getElementById(button).click();
      });
      Object.assign(URL, { createObjectURL: made });
      HTMLAnchorElement.prototype.click = click;
      return [...new Uint8Array(await blob.arrayBuffer())];
    }, id);
    writeFileSync(inDir(`saved.${format}`), Buffer.from(bytes));
    native("-q", dump, `--elf=${elf}`, `--format=${format}`, "-o", inDir(`native.${format}`));
    const given = format === "perfetto" ? null : ["-q", "--stat", "--json"];
    const read = (name) => (given ? decode(...given, inDir(name)).replace(/"input": .*/, "")
      : readFileSync(inDir(name), "latin1"));
    check(`saved as ${format}`, read(`saved.${format}`) === read(`native.${format}`), `${bytes.length} bytes`);
  }
}

/** Perfetto's window is asked whether it listens, and gets the trace when it answers. A window of ours stands for
 *  it. */
async function perfetto(page) {
  const got = await page.evaluate(() => new Promise((done) => {
    const posted = [];
    const other = { closed: false, postMessage(message, origin) {
      posted.push([typeof message === "string" ? message : message.perfetto.buffer.byteLength, origin]);
      if (message === "PING" && posted.length === 3)
        window.dispatchEvent(Object.assign(new MessageEvent("message", { data: "PONG" }), {}));
      if (typeof message !== "string") done(posted);
    } };
    window.open = () => other;
    Object.defineProperty(MessageEvent.prototype, "source", { get: () => other });
    document.getElementById("perfetto").click();
  }));
  check("Perfetto gets the trace", got.at(-1)[0] === statSync(inDir("native.perfetto")).size &&
    got.every(([, origin]) => origin === "https://ui.perfetto.dev"), got);
}

/** All that can be used has a name; and the theme is chosen. */
async function controls(page) {
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas, [tabindex]")]
    .filter((of) => !(of.textContent.trim() || of.ariaLabel || of.labels?.length || of.title
      || of.getAttribute("aria-labelledby") || of.hidden))
    .map((of) => of.outerHTML.slice(0, 80)));
  check("controls without a name", nameless.length === 0, nameless);
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.select("#theme", "dark");
  const dark = await back();
  await page.select("#theme", "auto");
  check("the theme", light === "rgb(255, 255, 255)" && dark !== light, `${light} ${dark}`);
}

/** The page and the trace in it are small. */
function sizes() {
  const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
  const page = packed(join(build, "page/page.html")), demo = packed(inDir("demo.html"));
  console.log(`page ${page} bytes by gzip, with the demo ${demo - page} more`);
  check("the page's size", page <= GZIP_MOST.page, page);
  check("the demo's size", demo - page <= GZIP_MOST.demo, demo - page);
}

rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
await checks(async (browser, part) => {
  const page = await openEmpty(browser);
  for (const run of [formats, firmwareLater, damaged, hostile, saved, perfetto, controls]) {
    part(run.name);
    await run(page);
  }
  await page.close();
  for (const run of [early, refusals, inside, refusedInside, hostilePages, sizes]) {
    part(run.name);
    await run(browser);
  }
});
