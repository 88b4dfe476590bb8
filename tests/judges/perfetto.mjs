// perfetto.mjs - asks Perfetto's own trace_processor, compiled to WebAssembly, about a trace.
//
// usage: node perfetto.mjs ENGINE TRACE QUERY...
//
// ENGINE: the directory with engine.mjs, engine_bundle.node.js and trace_processor.wasm (make judges-deps gets it). The
// rows of each query are printed with a tab between the values, and a line "--" behind each query. A query may be
// several statements; it is the last one's rows that are printed. Exit code 1 if the trace or a query is refused.
//
// The engine is made for a browser's worker. So it gets here what it looks for there: self, a request that reads a
// file, and a port that messages go through.
import {readFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [directory, trace, ...queries] = process.argv.slice(2);
const engine = resolve(directory);
const {EngineBase} = await import(pathToFileURL(join(engine, "engine.mjs")));

// Only the engine of 32-bit memory is there.
const Module = WebAssembly.Module;
WebAssembly.Module = class extends Module {
  constructor(bytes) {
    if (bytes.length === 23)
      throw new Error("no memory of 64 bits");
    super(bytes);
  }
};
globalThis.self = globalThis;
globalThis.location = {href: pathToFileURL(join(engine, "engine_bundle.js")).href};
globalThis.importScripts = () => undefined;
globalThis.WorkerGlobalScope = class {};
globalThis.XMLHttpRequest = class {
  open() {}
  send() {
    this.response = readFileSync(join(engine, "trace_processor.wasm"));
  }
};
const {process: host} = globalThis;
console.warn = () => undefined; // the engine's own notes

// The engine takes Node for what it is not made for, unless it sees no process.
const source = readFileSync(join(engine, "engine_bundle.node.js"), "utf8");
delete globalThis.process;
(0, eval)(source);
globalThis.process = host;

class Engine extends EngineBase {
  port = {postMessage: (data) => this.onRpcResponseBytes(data)};
  rpcSendRequestBytes(data) {
    this.port.onmessage({data});
  }
}

const processor = new Engine();
globalThis.onmessage({data: processor.port});
await new Promise((done) => setTimeout(done, 200));

async function ask(query) {
  const result = await processor.query(query);
  const columns = result.columns();
  for (const row = result.iter({}); row.valid(); row.next())
    console.log(columns.map((column) => String(row.get(column))).join("\t"));
  console.log("--");
}

try {
  await processor.parse(new Uint8Array(readFileSync(trace)));
  await processor.notifyEof();
  for (const query of queries)
    await ask(query);
} catch (error) {
  console.error(String(error.message ?? error).split("\n").slice(0, 12).join("\n"));
  host.exit(1);
}
host.exit(0);
