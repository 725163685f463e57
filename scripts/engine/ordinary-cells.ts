/**
 * What an ordinary first cell may be made of, for find-first-functions.ts: none of these should have to
 * wait for the engine's second part.
 */
export const ordinaryCells = [
  `const fs = require('fs'); fs.mkdirSync('src', { recursive: true });
   fs.writeFileSync('src/a.txt', 'one\\ntwo\\n'); fs.appendFileSync('src/a.txt', 'three');
   fs.readdirSync('.').map((name) => [name, fs.statSync(name).isDirectory()])`,
  `fs.readFileSync('src/a.txt', 'utf8').split('\\n').filter((line) => /t(\\w+)/i.test(line))`,
  `const path = require('node:path'); path.join('src', '..', path.basename('a/b.ts', '.ts'))`,
  `import { readFile } from 'node:fs/promises';
   const texts = await Promise.all(['src/a.txt'].map((name) => readFile(name, 'utf8'))); texts`,
  `const { results } = { results: await Promise.allSettled([Promise.reject(new Error('no')), 1]) }; results`,
  `const counts = new Map(); for (const word of 'a b a'.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
   [...counts.entries()].sort(([, one], [, other]) => other - one)`,
  `console.log('%s has %d', 'a', 2, { deep: { er: [1, new Set([2]), null, undefined, () => {}] } });
   console.error(new Error('shown'))`,
  `JSON.parse(JSON.stringify({ a: [1, 2.5, -3e-7, 'é\\n', true, null], d: new Date(0) }, null, 2))`,
  `class Shape { static made = 0; #size; constructor(size) { this.#size = size; Shape.made += 1; }
     get area() { return this.#size ** 2; } toString() { return \`\${this.area}\`; } }
   class Named extends Shape { constructor(name) { super(3); this.name = name; } }
   String(new Named('n')) + Shape.made`,
  `function* pairs(list) { for (const [at, item] of list.entries()) yield { at, item }; }
   [...pairs(['x', 'y'])]`,
  `new Date(Date.now()).toISOString().slice(0, 10)`,
  `function sum() { return Array.from(arguments).reduce((one, other) => one + other, 0); } sum(1, 2)`,
  `let label = ''; switch (typeof Symbol.iterator) { case 'symbol': label = 'yes'; break; default: label = 'no'; } label`,
  `try { null.length } catch (error) { error instanceof TypeError && error.message } finally { 1 }`,
  `let bits = 0; for (let at = 0; at < 8; at += 1) bits = (bits << 1) ^ (at & 3) | 0; bits >>> 1`,
  `const text = 'x = 1'; const [, name, value] = text.match(/^(\\w+)\\s*=\\s*(\\d+)$/) ?? []; ({ name, value: Number(value) })`,
  `const unique = [...new Set([3, 1, 3])].reverse(); unique.some((n) => n > 2) && unique.every(Number.isInteger) && unique.find((n) => n === 1)`,
  `[[1, [2]].flat().at(-1), ['a b'].flatMap((words) => words.split(' ')), [3, 1].toSorted(), (2.345).toFixed(1)]`,
  `throw new RangeError('wrong')`,
  `undeclared + 1`,
  `const broken = ;`,
];
