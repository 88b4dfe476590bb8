#!/usr/bin/env node
// tlog-decode.mjs - the command of the npm package: the decoder, with the page that -o trace.html fills beside it.
import { fileURLToPath } from "node:url";
import { placed, run } from "./run.mjs";

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
process.env.TLOG_PAGE ??= process.platform === "win32" ? placed(beside("page.html")) : beside("page.html");
process.exitCode = run(beside("tlog-decode.wasm"), process.argv.slice(2));
