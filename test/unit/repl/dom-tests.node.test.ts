// Tests of components: a test file that asks for a DOM gets the one of the project's happy-dom.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const packages = ['happy-dom', 'react', 'react-dom', 'scheduler'];
const modules = `${join(import.meta.dirname, '../../../node_modules')}/`;
const installed: Record<string, string | Uint8Array> = {};

async function addPackage(name: string) {
  for (const entry of await readdir(join(modules, name), {
    recursive: true,
    withFileTypes: true,
  })) {
    const path = join(entry.parentPath, entry.name);
    if (
      entry.isFile() &&
      /(?<!\.d)\.(?:js|json)$/u.test(path) &&
      !/production|profiling/u.test(path)
    )
      installed[`node_modules/${path.slice(modules.length)}`] = await readFile(path, 'utf8');
  }
}

beforeAll(async () => {
  const { dependencies } = JSON.parse(
    await readFile(join(modules, 'happy-dom/package.json'), 'utf8'),
  ) as { dependencies: Record<string, string> };
  const others = Object.keys(dependencies).filter((name) => !name.startsWith('@types/'));
  for (const name of [...packages, ...others]) await addPackage(name);
}, 30_000);

async function runIn(files: Record<string, string>, code = 'await runTests()') {
  const repl = await openRepl({ ...installed, ...files } as Record<string, string>);
  const result = await repl.run(code, { timeoutMs: 60_000, maxMemoryBytes: 256 * 1024 * 1024 });
  return { repl, ...result };
}

// In two parts, or this very file would ask vitest for one.
const asks = `@vitest${'-environment'}`;
const page =
  "import { expect, it } from 'vitest'; it('has a page', () => { document.body.innerHTML = '<p class=a>hi</p>'; expect(document.querySelector('.a').textContent).toBe('hi'); expect(window).toBe(globalThis); expect(document.defaultView).toBe(window); expect(new Event('x')).toBeInstanceOf(window.Event); expect(location.href).toBe('http://localhost:3000/'); });";

/** As vitest writes them. */
const snapshots = `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[\`keeps them 1\`] = \`
<div>
  <b
    a="<"
    class="x"
  >
    1 &lt; 2
  </b>
  <br />
  <!-- c -->
</div>
\`;

exports[\`keeps them 2\`] = \`
[
  <p
    n={
      {
        "a": 1,
      }
    }
    on={[Function]}
  >
    x
    2
  </p>,
  HTMLCollection [
    <i>
      1
    </i>,
  ],
]
\`;
`;

describe('a test file with a DOM', { timeout: 60_000 }, () => {
  it('has that of its comment, and the next file none of it', async () => {
    const { repl, stdout } = await runIn({
      'a.test.js': `// ${asks} happy-dom\n${page}`,
      'b.test.js':
        "import { expect, it } from 'vitest'; it('has none', () => { expect(typeof document).toBe('undefined'); expect(typeof window).toBe('undefined'); });",
      'c.test.js': `/**\n * ${asks.replace('vitest', 'jest')} jsdom\n */\n${page.replace("innerHTML = '", "innerHTML += '")} it('is new', () => expect(document.querySelectorAll('p')).toHaveLength(1));`,
    });
    expect(stdout).toContain('Tests  4 passed (4)');
    expect(await repl.value('[typeof document, new Event("x").type]')).toBe("[ 'undefined', 'x' ]");
  });

  it('renders a component and takes its clicks', async () => {
    const { stdout } = await runIn({
      'vite.config.ts': "export default { test: { environment: 'jsdom', globals: true } };",
      'Counter.tsx':
        "import { useState } from 'react'; export function Counter() { const [n, setN] = useState(0); return <button onClick={() => setN(n + 1)}>count {n}</button>; }",
      'Counter.test.tsx':
        "import { act } from 'react'; import { createRoot } from 'react-dom/client'; import { Counter } from './Counter'; globalThis.IS_REACT_ACT_ENVIRONMENT = true; it('counts', async () => { const root = document.createElement('div'); document.body.append(root); await act(async () => createRoot(root).render(<Counter />)); const button = root.querySelector('button'); expect(button.textContent).toBe('count 0'); await act(async () => button.click()); expect(button.textContent).toBe('count 1'); });",
    });
    expect(stdout).toContain('Tests  1 passed (1)');
  });

  it('shows elements as markup, in snapshots and where a test fails', async () => {
    const { stdout, repl } = await runIn({
      'vite.config.ts': "export default { test: { environment: 'happy-dom', globals: true } };",
      'a.test.tsx': `const make = (html) => { const made = document.createElement('div'); made.innerHTML = html; return made };
        it('keeps them', () => { expect(make('<b class="x" a="&lt;">1 &lt; 2</b><br><!-- c -->')).toMatchSnapshot(); expect([<p key="1" on={() => {}} n={{ a: 1 }}>{['x', null, 2]}</p>, make('<i>1</i>').children]).toMatchSnapshot(); });
        it('fails', () => { expect([make('<b>1</b>')]).toEqual([make('<b id="y">1</b>')]); });
        it('fails by a call', () => { const called = vi.fn(); called(make('x')); expect(called).toHaveBeenCalledWith(<b>2</b>); });`,
    });
    expect(await repl.value("fs.readFileSync('__snapshots__/a.test.tsx.snap', 'utf8')")).toBe(
      `'${snapshots.replaceAll('\n', '\\n')}'`,
    );
    expect(stdout).toContain(
      'expected [ <div><b>1</b></div> ] to deeply equal [ <div><b id="y">1</b></div> ]',
    );
    const lines = ['  [', '    <div>', '-     <b', '-       id="y"', '-     >', '+     <b>'];
    expect(stdout).toContain(
      [...lines, '        1', '      </b>', '    </div>', '  ]'].join('\n     '),
    );
    expect(stdout).toContain('called with (<b> 2 </b>); it got (<div>x</div>)');
  });

  it('has the environment of the nearest config or package.json', async () => {
    const none = "it('has none', () => expect(typeof document).toBe('undefined'));";
    const { stdout } = await runIn({
      'package.json': '{ "jest": { "testEnvironment": "jsdom" } }',
      'a.test.js': page,
      'api/vitest.config.ts': "export default { test: { environment: 'node' } };",
      'api/b.test.js': none,
      'plain/vite.config.js': 'export default {};',
      'plain/c.test.js': none,
    });
    expect(stdout).toContain('Tests  3 passed (3)');
  });

  it('says which package is missing, and which environments there are', async () => {
    const repl = await openRepl({
      'a.test.js': `// ${asks} jsdom\n${page}`,
      'b.test.js': `// ${asks} edge-runtime\n${page}`,
    });
    const { stdout } = await repl.run('await runTests()');
    expect(stdout).toContain(
      'or jsdom, and neither is in node_modules: add happy-dom to the devDependencies and have them installed',
    );
    expect(stdout).toContain(
      "This file asks for the environment 'edge-runtime'. There are node, happy-dom and jsdom.",
    );
  });
});

it('a matcher that a program adds has what it prints with', async () => {
  const repl = await openRepl({
    'a.test.js':
      "import { expect, it } from 'vitest'; expect.extend({ toBeOdd(value) { return { pass: value % 2 === 1, message: () => [this.utils.matcherHint(`${this.isNot ? '.not' : ''}.toBeOdd`, 'value', ''), this.utils.RECEIVED_COLOR(this.utils.printReceived(value))].join(' ') }; } }); it('is', () => { expect(1).toBeOdd(); expect(2).not.toBeOdd(); expect(2).toBeOdd(); });",
  });
  expect((await repl.run('await runTests()')).stdout).toContain('expect(value).toBeOdd() 2');
});

it('forms and blobs are what Node has', async () => {
  const repl = await openRepl();
  const code =
    "const blob = new Blob(['a', new Uint8Array([98]), new Blob(['c'])], { type: 'Text/Plain' }); const form = new FormData(); form.append('a', 1); form.append('a', blob, 'x.txt'); form.set('b', 'two'); const file = form.getAll('a')[1]; const sent = await new Response(form).text(); [await blob.text(), blob.size, blob.type, await blob.slice(1).text(), file.name, file instanceof File, [...form.keys()].join(), /name=\"a\"; filename=\"x.txt\"\\r\\nContent-Type: text\\/plain\\r\\n\\r\\nabc/.test(sent), new Response(blob).headers.get('content-type'), await (await new Response('z').blob()).text()].join('|')";
  expect(await repl.value(code)).toBe("'abc|3|text/plain|bc|x.txt|true|a,a,b|true|text/plain|z'");
});

it('messages of a channel are tasks of their own, and copies', async () => {
  const repl = await openRepl();
  const code =
    "const { port1, port2 } = new MessageChannel(); const sent = { a: 1 }; const heard = []; port1.postMessage(sent); const got = new Promise((resolve) => { port2.onmessage = ({ data }) => { heard.push('message'); resolve(data); }; }); await null; heard.push('job'); const data = await got; port1.close(); port2.postMessage(1); [heard.join(), data.a, data === sent].join()";
  expect(await repl.value(code)).toBe("'job,message,1,false'");
});

it('time is measured as the web does', async () => {
  const repl = await openRepl();
  const code =
    "performance.mark('a', { startTime: 1 }); performance.mark('b', { startTime: 4, detail: 5 }); const m = performance.measure('m', 'a', 'b'); performance.measure('n', { start: 2, duration: 3 }); performance.clearMarks('a'); let missing; try { performance.measure('x', 'gone'); } catch (error) { missing = error.name; } [m.duration, performance.getEntriesByName('n')[0].duration, performance.getEntriesByType('mark').length, performance.getEntries().length, missing].join()";
  expect(await repl.value(code)).toBe("'3,3,1,3,SyntaxError'");
});
