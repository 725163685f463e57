// Tailwind CSS in a preview. The package is a stand-in that has the function of the real one: it styles classes like `m-4`.
import { describe, expect, it } from 'vitest';
import { openPreview, pixel, type Files } from '../../support/browser/preview-page.ts';

const tailwind: Files = {
  'node_modules/tailwindcss/package.json':
    '{ "exports": { ".": { "style": "./index.css", "import": "./lib.mjs" } } }',
  'node_modules/tailwindcss/index.css': '@layer utilities { @tailwind utilities; }',
  'node_modules/tailwindcss/lib.mjs': `
    export async function compile(css, { base, loadModule }) {
      const names = new Set();
      const plugins = [];
      for (const [, name] of css.matchAll(/@plugin "(.*?)"/g)) plugins.push((await loadModule(name, base, 'plugin')).module);
      const sources = [...css.matchAll(/@source "(.*?)"/g)].map(([, pattern]) => ({ pattern, negated: false }));
      const rule = (name) => {
        const [, size] = /^m-\\[?(\\d+)/.exec(name) ?? [];
        return size ? '.' + CSS.escape(name) + ' { margin: ' + size + 'px }' : '';
      };
      return { sources, build(added) {
        for (const name of added) names.add(name);
        return css.replace(/@plugin .*?;/g, plugins.join('')).replace('@tailwind utilities;', [...names].map(rule).join(''))
          .replace(/@apply (.*?);/g, (_all, name) => /{(.*)}/.exec(rule(name))[1]);
      } };
    }`,
};

const page = (main: string, css: string): Files => ({
  'index.html':
    '<!doctype html><body class="m-1"><script type="module" src="/src/main.ts"></script>',
  'src/main.ts': `import './main.css';
    const margin = (name: string) => { document.body.className = name; return getComputedStyle(document.body).margin; };
    ${main}`,
  'src/main.css': css,
});

async function logsOf(files: Files): Promise<readonly string[]> {
  const { open, preview } = await openPreview(files);
  await open();
  return (await preview.readConsole()).messages.map(({ text }) => text);
}

describe('Tailwind in a preview', () => {
  it('styles the classes that the text of the page and its modules names', async () => {
    const logs = await logsOf({
      ...tailwind,
      ...page(
        `import { on } from '../node_modules/ui/index.js'; import 'other'; import data from './data.json';
        console.log(data && margin('m-1'), margin('m-2'), margin(Object.keys({ 'm-3': on })[0]), margin("m-[4px_'x']"));
        console.log(['5', '6', '7', '9'].map((size) => margin('m-' + size)).join());
        await import('./later.ts'); console.log(margin('m-' + 10));`,
        '@import "tailwindcss"; @source "../node_modules/ui";',
      ),
      'src/data.json': '{ "class": "m-9" }',
      'src/later.ts': 'export const name = `m-10 ${1}`;',
      'node_modules/ui/index.js': 'export const on = "m-6"',
      'node_modules/other/index.js': '"m-7"',
    });
    expect(logs).toEqual(['1px 2px 3px 4px', '8px,6px,8px,9px', '10px']);
  });

  it('applies them in other sheets, takes plugins, and makes texts and sheets of the page', async () => {
    const logs = await logsOf({
      ...tailwind,
      ...page(
        `import styles from './a.module.css'; import text from './b.css?inline';
        console.log(margin(styles.box), text.replaceAll(/ +/g, ' '), margin('linked'), margin('plugged'), margin('local'));`,
        '@import "./sheets/base.css" layer(base);',
      ),
      'index.html': `<!doctype html><link rel="stylesheet" href="linked.css"><body><script type="module" src="/src/main.ts">`,
      'linked.css': '.linked { @apply m-2; }',
      'src/sheets/base.css': '@plugin "plug"; @plugin "./local.js"; @tailwind utilities;',
      'src/sheets/local.js': 'export default ".local { margin: 5px }"',
      'node_modules/plug/index.js': 'module.exports = ".plugged { margin: 3px }"',
      'src/a.module.css': '@reference "./empty.css"; .box { @apply m-4; }',
      'src/empty.css': '',
      'src/b.css': '.b { @apply m-6; }',
    });
    expect(logs).toEqual(['4px .b { margin: 6px } 2px 3px 5px']);
  });

  it('is told where it is missing or of an older version, and the app runs', async () => {
    const main = 'console.log(margin("m-1"))';
    expect(await logsOf(page(main, '@import "tailwindcss";'))).toEqual([
      "/app/src/main.css has no styles of Tailwind CSS: Cannot find module 'tailwindcss': no node_modules above the file has it, and Node's own modules aren't in a page (in /app/src/main.css). Run npm install tailwindcss@4",
      '8px',
    ]);
    expect(await logsOf({ ...tailwind, ...page(main, '@tailwind base;') })).toEqual([
      '/app/src/main.css has no styles of Tailwind CSS: A preview runs Tailwind CSS 4, and this is for version 3. Upgrade with npx @tailwindcss/upgrade, or build the sheet and import what was built',
      '8px',
    ]);
  });
});

it('takes in sheets of packages and aliases, in layers and under conditions', async () => {
  const logs = await logsOf({
    ...page(
      `const { color, width, height, padding } = getComputedStyle(document.body); console.log(color, width, height, padding)`,
      `@import 'pkg' layer(low); @import "@/own.css" layer supports(display: grid) (min-width: 1px);
      @import 'pkg/other.css' supports(not (display: grid)); @layer low { body { color: red } }
      @import './rules.css';`,
    ),
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
    'src/own.css': 'body { width: 11px }',
    'src/rules.css': 'body { padding: 3px }',
    'node_modules/pkg/package.json': '{ "style": "a.css", "main": "a.js" }',
    'node_modules/pkg/a.css':
      'body { color: rgb(1, 2, 3) !important; height: 12px; background: url(dot.png) }',
    'node_modules/pkg/dot.png': pixel,
    'node_modules/pkg/other.css': 'body { height: 13px }',
  });
  expect(logs).toEqual(['rgb(1, 2, 3) 11px 12px 3px']);
});
