// duckdb.mjs MODULES QUERY... - run queries in DuckDB and print their rows as JSON, one line each. MODULES: the
// directory that holds @duckdb/node-api.
import { createRequire } from 'node:module';

const require = createRequire(process.argv[2] + '/');
const { DuckDBInstance } = require('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
for (const query of process.argv.slice(3)) {
    const rows = await connection.runAndReadAll(query);
    for (const row of rows.getRowsJson()) console.log(JSON.stringify(row));
}
