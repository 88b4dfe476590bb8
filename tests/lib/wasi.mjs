// wasi.mjs - runs a WebAssembly of the decoder that is not in a package: see host/npm/run.mjs.
// usage: node wasi.mjs FILE.wasm ARGUMENT...
import { run } from "../../host/npm/run.mjs";

const [file, ...given] = process.argv.slice(2);
process.exitCode = run(file, given);
