// page.mjs - measures the page in a headless Chromium against the native decoder and against filling a canvas, in the
// same run. Prints a table with the goals; exit code 1 if one is missed.
// usage: BUILD=build node page.mjs [EVENTS]     (needs the page, the demo, and puppeteer of make judges-deps)
//
// The large trace is the demo's S.Ha.R.K. trace, again and again, up to EVENTS (a million), and ten times as many.
// Times are the best of some runs. "Drawn" is from the drop to the end of the frame that has the picture. A frame's
// time is that of the page's script in it; filling is giving every pixel of a canvas of that size a value.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, drop, inState, launch, openEmpty } from "../system/page/browser.mjs";

const RECORD = 16, FRAMES = 1000, RUNS = 3;
const events = Number(process.argv[2] ?? 1e6);
const dir = join(build, "bench"), demo = [join(build, "demo/dump.bin"), join(build, "demo/firmware.elf")];
let missed = 0;

/** A line of the table. */
function tell(what, value, goal, most) {
  const good = value <= most;
  if (!good) missed++;
  console.log(`${what.padEnd(58)} ${value.toFixed(value < 10 ? 2 : 0).padStart(9)}  ${goal}${good ? "" : "   MISSED"}`);
}

const decoder = (...given) => execFileSync(join(build, "tlog-decode"), given, { stdio: "ignore" });

/** The least number of ms that some runs take. */
async function best(run, runs = RUNS) {
  let least = Infinity;
  for (let i = 0; i < runs; i++) {
    const begin = performance.now();
    least = Math.min(least, (await run()) ?? performance.now() - begin);
  }
  return least;
}

/** Write a trace of n events: the demo's, again and again, but for its first tenth, in which tasks are made. */
function makeLarge(path, n) {
  decoder("-q", demo[0], "--format=shark", "-o", join(dir, "demo.shark"));
  const one = readFileSync(join(dir, "demo.shark")), records = one.length / RECORD, first = Math.floor(records / 10);
  const ticksAt = (bytes, i) =>
    BigInt(bytes.readUInt32LE(i * RECORD + 4)) << 32n | BigInt(bytes.readUInt32LE(i * RECORD + 8));
  const span = ticksAt(one, records - 1) - ticksAt(one, first) + 1000n;
  const all = Buffer.alloc(n * RECORD);
  for (let i = 0, at = 0, lap = 0n; i < n; i++) {
    one.copy(all, i * RECORD, at * RECORD, (at + 1) * RECORD);
    const ticks = ticksAt(one, at) + lap * span;
    all.writeUInt32LE(Number(ticks >> 32n), i * RECORD + 4);
    all.writeUInt32LE(Number(ticks & 0xffffffffn), i * RECORD + 8);
    if (++at === records) (at = first), lap++;
  }
  writeFileSync(path, all);
}

/** ms from a drop until the picture is on the screen. */
async function drawn(page, files) {
  await page.evaluate(() => {
    globalThis.drawnAt = new Promise((done) => {
      document.addEventListener("drop", () => { globalThis.droppedAt = performance.now(); },
        { capture: true, once: true });
      new MutationObserver((_, of) => {
        if (document.body.dataset.state !== "drawn") return;
        of.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - globalThis.droppedAt)));
      }).observe(document.body, { attributeFilter: ["data-state"] });
    });
  });
  await drop(page, files);
  const took = await page.evaluate(() => globalThis.drawnAt);
  await inState(page, "shown");
  return took;
}

/** Script times of frames, while the view is moved and zoomed, and what is allocated meanwhile. */
const frames = (page, n) => page.evaluate(async (wanted) => {
  const canvas = document.querySelector("#timeline canvas"), times = [], ask = window.requestAnimationFrame;
  const box = canvas.getBoundingClientRect();
  window.requestAnimationFrame = (fn) => ask.call(window, (now) => {
    const begin = performance.now();
    fn(now);
    times.push(performance.now() - begin);
  });
  const turn = (i) => {
    const zooms = i % 200 < 100, to = i % 100 < 50 ? 1 : -1;
    canvas.dispatchEvent(new WheelEvent("wheel",
      { bubbles: true, cancelable: true, ctrlKey: zooms, deltaX: zooms ? 0 : 15 * to,
      deltaY: zooms ? -30 * to : 0, clientX: box.left + box.width * 0.6, clientY: box.top + box.height / 2 }));
    return new Promise((done) => ask.call(window, () => setTimeout(done)));
  };
  for (let i = 0; i < 200; i++) await turn(i);
  globalThis.gc?.();
  const before = performance.memory.usedJSHeapSize;
  times.length = 0;
  for (let i = 0; i < wanted; i++) await turn(i);
  globalThis.gc?.();
  const grown = performance.memory.usedJSHeapSize - before;
  window.requestAnimationFrame = ask;
  times.sort((a, b) => a - b);
  return { n: times.length, median: times[times.length >> 1], late: times[Math.floor(times.length * 0.99)], grown };
}, n);

/** ms to fill a canvas of the timeline's size. */
const filling = (page) => page.evaluate(() => {
  const { width, height } = document.querySelector("#timeline canvas"), made = new OffscreenCanvas(width, height);
  const ctx = made.getContext("2d");
  const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
  const fill = (i) => {
    pixels.fill(0xff000000 + i);
    ctx.putImageData(image, 0, 0);
    ctx.getImageData(i, i, 1, 1);
  };
  for (let i = 0; i < 50; i++) fill(i);
  const begin = performance.now();
  for (let i = 0; i < 200; i++) fill(i);
  return (performance.now() - begin) / 200;
});

const megabytes = (page) => page.evaluate(() => (globalThis.gc?.(), performance.memory.usedJSHeapSize / 1e6));

async function measureDemo(page) {
  const native = await best(() => void decoder("-q", "--stat", "--json", demo[0], `--elf=${demo[1]}`), 5);
  const took = await best(() => drawn(page, demo), 5);
  tell(`demo: drawn, ms (native --stat --json ${native.toFixed(1)} ms)`, took, "at most 10x, or 1000",
    Math.max(1000, 10 * native));
}

async function measureLarge(page, path, n) {
  makeLarge(path, n);
  const native = await best(() => void decoder("-q", "--stat", "--json", path));
  const took = await best(() => drawn(page, [path]));
  tell(`${n} events: drawn, times native (${took.toFixed(0)} ms, ${native.toFixed(0)} ms)`, took / native,
    "at most 10", 10);
}

const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).length / 1024;
mkdirSync(dir, { recursive: true });
const browser = await launch();
try {
  const large = join(dir, "large.shark"), html = join(dir, "demo.html"), size = packed(join(build, "page/page.html"));
  decoder("-q", demo[0], `--elf=${demo[1]}`, "-o", html);
  tell("page, KiB by gzip -9", size, "at most 600", 600);
  tell("the demo inside, KiB more", packed(html) - size, "at most 60", 60);
  const page = await openEmpty(browser);
  await inState(page, "empty");
  await measureDemo(page);
  await measureLarge(page, large, events);
  tell("its memory, MB", await megabytes(page), "at most 250", 250);
  const fill = await filling(page), { n, median, late, grown } = await frames(page, FRAMES);
  tell(`its frames: median, times filling (${n} frames, ${median.toFixed(2)} ms, ${fill.toFixed(2)} ms)`,
    median / fill, "at most 8", 8);
  tell(`its frames: 99 % of them, times filling (${late.toFixed(2)} ms)`, late / fill, "at most 8", 8);
  tell(`memory that ${FRAMES} frames leave, KiB`, grown / 1024, "at most 256", 256);
  makeLarge(large, 10 * events);
  const ten = await drawn(page, [large]);
  tell(`${10 * events} events: drawn, s`, ten / 1000, "is shown", Infinity);
} finally {
  await browser.close();
}
process.exitCode = missed > 0 ? 1 : 0;
