// Reads a file of Parquet with DuckDB, which knows nothing of Perigee, and prints each row as a line of JSON.
// Run by TestDuckDBReadsTables.
import { createRequire } from 'node:module';
import path from 'node:path';

const [folder, file] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(path.join(folder, 'package.json'))('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const read = await connection.runAndReadAll('select * from read_parquet(?)', [file]);
for (const row of read.getRowObjectsJson()) console.log(JSON.stringify(row));
