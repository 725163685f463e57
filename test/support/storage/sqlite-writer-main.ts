// A process that appends numbers to a log in a file of SQLite's, until it is killed. It says each
// number when it was acknowledged. Called as `main <file> <name>`.
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { openDoSqliteLog } from '../../../src/workspace/drivers/do-sqlite.ts';

const [path = '', name = ''] = process.argv.slice(2);
const medium = openDoSqliteLog(await openSqliteStorage(path));
const file = await medium.create(name);
for (let number = 1; ; number += 1) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  await file.append(bytes, 'power');
  console.log(number);
}
