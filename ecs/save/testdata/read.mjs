// Reads tables of a save with the npm package apache-arrow, which knows nothing of Perigee, and prints
// each row as a line of JSON. Run by TestOtherToolsReadTables.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [folder, ...files] = process.argv.slice(2);
const { tableFromIPC } = createRequire(path.join(folder, 'package.json'))('apache-arrow');
const plain = (_, v) => (typeof v === 'bigint' ? v.toString() : v);
for (const file of files) {
  for (const row of tableFromIPC(fs.readFileSync(file))) {
    console.log(JSON.stringify(row, plain));
  }
}
