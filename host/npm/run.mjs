// run.mjs - runs the decoder as WebAssembly (make wasm) as if it were a program of this system: with its arguments, its
// environment, its standard streams and all its files.
//
// V8's fast calls are off: with them node 20 to 22 crashes sooner or later, as they take a memory that has grown for
// the one that it was before. node 18 and 20 warn of their module for WASI, which is nothing that a user can change.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--no-turbo-fast-api-calls");
process.removeAllListeners("warning");
const { WASI } = await import("node:wasi");

// WASI knows names with slashes, below one root. Of Windows' drives each is a folder of it: C:\a\b is /c/a/b.
const drive = /(^|[=:])([A-Za-z]):(?=\/)/;
const named = /^--(elf|elf-dir|guest|output|save-events|session)=/;

/** What stands for a name of Windows, or for an option with one. Other arguments, such as filters, stay. */
export function placed(argument) {
  if (argument.startsWith("-") && !named.test(argument)) return argument;
  return argument.replaceAll("\\", "/").replace(drive, (_, before, letter) => `${before}/${letter.toLowerCase()}`);
}

/** The folders that the decoder is given: all that there are. */
function folders(names) {
  if (process.platform !== "win32") return { "/": "/" };
  const letters = names.map((name) => /(?:^|[=:])\/([a-z])\//.exec(`${name}/`)?.[1]).filter((letter) => letter);
  return Object.fromEntries(letters.map((letter) => [`/${letter}`, `${letter}:\\`]));
}

/** Run the decoder; returns its exit code. */
export function run(file, given) {
  const place = process.platform === "win32" ? placed : (name) => name;
  const [directory, ...names] = [process.cwd(), ...given].map(place);
  const env = { ...process.env, PWD: directory };
  const args = ["tlog-decode", ...names];
  const wasi = new WASI({
    version: "preview1", args, env, preopens: folders([directory, ...names]), returnOnExit: true,
  });
  const module = new WebAssembly.Module(readFileSync(file));
  return wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport }));
}
