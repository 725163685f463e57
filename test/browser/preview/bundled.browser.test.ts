// What code asks of a bundler: CSS modules, files in other forms, many files at once.
import { describe, expect, it } from 'vitest';
import { server } from 'vitest/browser';
import { openPreview, pixel, type Files } from '../../support/browser/preview-page.ts';

/** Runs the code as a module of a page, and gives what it logs. */
async function logsOf(code: string, files: Files = {}): Promise<readonly string[]> {
  const page =
    '<!doctype html><body><p class="title">Plain</p><script type="module" src="/src/main.ts">';
  const { open, preview } = await openPreview({
    'index.html': page,
    'src/main.ts': code,
    ...files,
  });
  await open();
  const { messages } = await preview.readConsole();
  return messages.map(({ text }) => text);
}

describe('a CSS module in a preview', () => {
  it('gives its classes, ids and animations names of their own', async () => {
    const logs = await logsOf(
      `import styles, { title } from './card.module.css';
      const show = (name) => { document.body.className = name; return getComputedStyle(document.body); };
      console.log(title === styles.title, Object.keys(styles).sort().join(' '));
      const { color, animationName, animationDuration } = show(styles.title);
      console.log(color, animationName === styles.turn, animationDuration);
      console.log(getComputedStyle(document.querySelector('p')).animationName);
      console.log(show(styles['in-row'] + ' wide').width, show('wide').width);
      console.log(getComputedStyle(document.querySelector('p')).paddingTop);
      document.body.id = styles.main; console.log(getComputedStyle(document.body).margin);`,
      {
        'src/card.module.css': `/* .not { } */ @import './base.css';
          .title { color: rgb(1, 2, 3); animation: turn 2s ease-in; background: url("data:,.a{b}") }
          @keyframes turn { 0.5% { opacity: .5 } to { opacity: 1 } }
          @media (min-width: 1px) { .in-row:global(.wide):not(.other, :global(.x)) { width: 70px } }
          :global .title { padding: 7px } #main { margin: 9px } @layer a.b;`,
        'src/base.css': '.base { color: red }',
      },
    );
    expect(logs).toEqual([
      'true base in-row main other title turn',
      'rgb(1, 2, 3) true 2s',
      'none',
      expect.stringMatching(/^70px (?!70px)/),
      '7px',
      '9px',
    ]);
  });

  it('takes classes of itself, of another module and of the page', async () => {
    const logs = await logsOf(
      `import styles from './a.module.css';
      document.body.className = styles.both;
      const { color, width, height } = getComputedStyle(document.body);
      console.log(color, width, height, styles.both.split(' ').length, styles.both.endsWith(' wide'));`,
      {
        'src/a.module.css': `.one { color: rgb(1, 1, 1) } .both { composes: one; composes: two three from './b.module.css';
          composes: wide from global }`,
        'src/b.module.css': `.two { width: 50px } .three { composes: both from './a.module.css'; height: 20px }`,
      },
    );
    expect(logs).toEqual(['rgb(1, 1, 1) 50px 20px 5 true']);
  });
});

describe('a file in another form', () => {
  it('is its text, its address, or a style sheet that is not applied', async () => {
    const logs = await logsOf(
      `import text from '../notes.md?raw'; import code from './other.ts?raw'; import dot from '/dot.png?url';
      import css from './a.css?inline'; import { value } from './other.ts';
      console.log(text, code, value); console.log(dot.slice(0, 15)); console.log(css, document.styleSheets.length);`,
      {
        'notes.md': '# Notes',
        'src/other.ts': 'export const value: number = 1',
        'src/a.css': 'p { color: red }',
        'dot.png': pixel,
      },
    );
    expect(logs).toEqual([
      '# Notes export const value: number = 1 1',
      'data:image/png;',
      'p { color: red } 0',
    ]);
  });

  it('is refused as a worker by an error that the app can catch', async () => {
    const code = `for (const Kind of [Worker, SharedWorker])
      try { new Kind(new URL('./w.ts', import.meta.url), { type: 'module' }) } catch ({ message }) { console.log(message) }`;
    const told =
      "A preview has no workers, so file:///app/src/w.ts isn't run. Catch this error, and do its work in the page";
    expect(await logsOf(code)).toEqual([told, told]);
  });

  it('is refused where it would be a worker or a component', async () => {
    const files = { 'src/a.svg': '<svg/>', 'src/w.ts': '' };
    expect(await logsOf(`import Logo from './a.svg?react'; console.log(Logo)`, files)).toEqual([
      "Uncaught Error: /app/src/a.svg?react would be a component made of an image, which a preview can't do. Import the file, and show it by an img (in /app/src/main.ts)",
    ]);
    expect(await logsOf(`import Work from './w.ts?worker'; console.log(Work)`, files)).toEqual([
      "Uncaught Error: /app/src/w.ts?worker can't be loaded: a preview has no workers (in /app/src/main.ts)",
    ]);
  });
});

describe('import.meta.glob in a preview', () => {
  const pages = {
    'src/pages/a.ts': `export const name = 'a'; export default 'A'`,
    'src/pages/b.ts': `export const name = 'b'; export default 'B'`,
    'src/pages/more/c.ts': `export const name = 'c'; export default 'C'`,
    'src/pages/.hidden.ts': 'throw new Error()',
    'notes/n.md': '# N',
  };

  it('imports all files that fit, at once or when asked', async () => {
    const logs = await logsOf(
      `// import.meta.glob( is only named here
      const later = import.meta.glob<{ default: string }>('./pages/**/*.ts');
      const now = import.meta.glob(['./pages/**', '!./pages/b.ts'], {
        eager: true, import: 'name' });
      const texts = import.meta.glob("/notes/*", { query: '?raw', import: 'default' });
      console.log(Object.keys(later).join(' '), (await later['./pages/b.ts']()).default);
      console.log(JSON.stringify(now)); console.log(Object.keys(texts)[0], await texts['/notes/n.md']());
      console.log(JSON.stringify(import.meta.glob('../none/*')), /main.ts:(\\d+)/.exec(new Error().stack)?.[1]);`,
      pages,
    );
    expect(logs).toEqual([
      './pages/a.ts ./pages/b.ts ./pages/more/c.ts B',
      '{"./pages/a.ts":"a","./pages/more/c.ts":"c"}',
      '/notes/n.md # N',
      // WebKit gives such a script no name in a stack.
      server.browser === 'webkit' ? '{} undefined' : '{} 8',
    ]);
  });

  it('says what it takes', async () => {
    const why = async (code: string) => (await logsOf(code)).join().replace(/.*loaded: /, '');
    expect(await why('const a = 1; import.meta.glob(`./${a}/*`)')).toMatch(
      /^import\.meta\.glob takes texts that are written out, not values of code \(in/,
    );
    expect(await why(`import.meta.glob('@/pages/*')`)).toMatch(
      /^import\.meta\.glob\('@\/pages\/\*'\) in \S+ isn't understood: a pattern begins with \.\/, /,
    );
  });
});

it('has the variables of the project that are for pages', async () => {
  const code = `const { VITE_NAME, VITE_URL, VITE_TEXT, SECRET, MODE } = import.meta.env;
    console.log(VITE_NAME, VITE_URL, JSON.stringify(VITE_TEXT), SECRET, MODE)`;
  const logs = await logsOf(code, {
    '.env': `# VITE_NOT=1\nVITE_NAME=plain # said\nSECRET=s\nexport VITE_URL='http://a/#b'\nVITE_TEXT="a\\nb"`,
    '.env.local': 'VITE_NAME = own',
  });
  expect(logs).toEqual(['own http://a/#b "a\\nb" undefined development']);
});

it('draws parts of an image that is another file, and says what is missing', async () => {
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="dot" viewBox="0 0 9 9"><rect width="9"
    height="9" fill="red"/></symbol></svg>`;
  const logs = await logsOf(
    `const image = (href) => document.body.insertAdjacentHTML('beforeend', '<svg width="30" height="30"><use href="' + href + '"/></svg>');
    image('/icons.svg#dot'); image('/icons.svg#none'); image('/no.svg#dot');
    const [use] = document.querySelectorAll('use');
    while (use.getAttribute('href') !== '#dot') await new Promise(requestAnimationFrame);
    console.log(use.getBoundingClientRect().width > 0, document.documentElement.scrollHeight === innerHeight);`,
    { 'public/icons.svg': sprite },
  );
  expect(logs.toSorted()).toEqual([
    '/icons.svg has nothing with the id "none".',
    "/no.svg isn't in the workspace (404).",
    'true true',
  ]);
});

it('loads a module that imports more than one message may ask for', async () => {
  const imports = Array.from({ length: 2_001 }, (_, at) => `import './icon.ts?${at}';`);
  const code = `${imports.join('')} console.log('loaded')`;
  expect(await logsOf(code, { 'src/icon.ts': '' })).toEqual(['loaded']);
});
