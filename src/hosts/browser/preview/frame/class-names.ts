// What may be a class in the text of a file. Tailwind's tools read text in the same way: no language is parsed, and
// what is no class has no style.

/** In strings, with quotes within brackets (`content-['x']`), and without quotes, as the keys of an object. */
export function classesIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const plain = text.replaceAll(/\\[nrt]/g, ' ').replaceAll(/\\(["'`])/g, '$1');
  for (const chunk of plain.split(/\s+/)) {
    for (const part of chunk.split(/["'`]/)) found.add(part);
    for (const [word] of chunk.matchAll(/[\w-]+/g)) found.add(word);
    if (/\[.*["']/.test(chunk)) for (const part of outsideBrackets(chunk)) found.add(part);
  }
  return found;
}

function outsideBrackets(chunk: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  for (const [at, char] of [...chunk].entries()) {
    if (char === '[') depth += 1;
    else if (char === ']') depth = Math.max(0, depth - 1);
    else if (depth === 0 && /["'`]/.test(char)) {
      parts.push(chunk.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, chunk.slice(from)];
}
