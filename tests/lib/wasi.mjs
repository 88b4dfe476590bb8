// wasi.mjs - runs a WebAssembly of WASI as if it were a program of this system: with its arguments, its environment, its
// standard streams and all its files.
// usage: node --no-warnings wasi.mjs FILE.wasm ARGUMENT...        (node warns of its module for WASI)
//
// V8's fast calls are off: with them node 20 to 22 crashes sooner or later, as they take a memory that has grown for the
// one that it was before.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { WASI } from "node:wasi";

setFlagsFromString("--no-turbo-fast-api-calls");
const [file, ...given] = process.argv.slice(2);
const env = { ...process.env, PWD: process.cwd() };
const wasi = new WASI({
  version: "preview1", args: ["tlog-decode", ...given], env, preopens: { "/": "/" }, returnOnExit: true,
});
const module = new WebAssembly.Module(readFileSync(file));
process.exitCode = wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport }));
