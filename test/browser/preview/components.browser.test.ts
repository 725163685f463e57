// Components of Vue and Svelte in a preview. The compilers are stand-ins that have the functions of the real ones.
import { describe, expect, it } from 'vitest';
import { openPreview, pixel, type Files } from '../../support/browser/preview-page.ts';

const page = (main: string): Files => ({
  'index.html': '<!doctype html><body><script type="module" src="main.ts"></script>',
  'main.ts': main,
  'dot.png': pixel,
});

/** A block of a component, or null. */
const vueCompiler = `
const block = (text, tag) => {
  const [, attributes, content] = new RegExp('<' + tag + '([^>]*)>([^]*?)</' + tag + '>').exec(text) ?? [];
  if (content === undefined) return null;
  return { content, lang: /lang="(\\w+)"/.exec(attributes)?.[1], scoped: attributes.includes('scoped') };
};
export const parse = (text, { filename }) => {
  const [script, template, style] = ['script', 'template', 'style'].map((tag) => block(text, tag));
  const errors = text.includes('<broken') ? [new SyntaxError('Element is missing end tag.')] : [];
  return { descriptor: { script, scriptSetup: null, template, styles: style ? [style] : [] }, errors };
};
export const compileScript = ({ script }, { genDefaultAs }) => ({ content: script.content.replace('export default', 'const ' + genDefaultAs + ' =') });
export const compileTemplate = ({ source }) => ({ code: 'export function render() { return ' + JSON.stringify(source) + ' }', errors: [] });
export const compileStyle = ({ source, id, scoped }) => ({ code: scoped ? source.replace(' {', '[' + id + '] {') : source, errors: [] });`;

const vue: Files = {
  'node_modules/vue/package.json': '{ "exports": { "./compiler-sfc": "./sfc.mjs" } }',
  'node_modules/vue/sfc.mjs': vueCompiler,
};

async function logsOf(files: Files): Promise<readonly string[]> {
  const { open, preview } = await openPreview(files);
  await open();
  return (await preview.readConsole()).messages.map(({ text }) => text);
}

describe('a component of Vue', () => {
  it('is compiled by the compiler of the project, with its types, styles and imports', async () => {
    const logs = await logsOf({
      ...page(`import App from './src/App.vue';
        document.body.setAttribute(App.__scopeId, '');
        const { color, backgroundImage } = getComputedStyle(document.body);
        console.log(App.name, App.render(), App.__file, color, backgroundImage.slice(0, 14));`),
      ...vue,
      'src/App.vue': `<script lang="ts">import { name } from '../name.ts';
        const typed: string = name; export default { name: typed }</script>
        <template>Hello</template><style scoped>body { color: rgb(1, 2, 3); background: url('../dot.png') }</style>`,
      'name.ts': `export const name: string = 'app'`,
    });
    expect(logs).toEqual(['app Hello /app/src/App.vue rgb(1, 2, 3) url("data:imag']);
  });

  it('is refused with the reason of the compiler, and where there is none', async () => {
    const files = page(`import App from './App.vue'; console.log(App)`);
    expect(await logsOf({ ...files, ...vue, 'App.vue': '<broken' })).toEqual([
      "Uncaught Error: /app/App.vue can't be compiled: Element is missing end tag. (in /app/main.ts)",
    ]);
    const sass = '<template></template><style lang="scss"></style>';
    expect(await logsOf({ ...files, ...vue, 'App.vue': sass })).toEqual([
      "Uncaught Error: /app/App.vue can't be compiled: A preview can't compile a block of the language scss (in /app/main.ts)",
    ]);
    expect((await logsOf({ ...files, 'App.vue': '' })).join()).toMatch(
      /^Uncaught Error: \/app\/App\.vue can't be compiled: Cannot find module 'vue\/compiler-sfc': no node_modules/,
    );
  });
});

it('compiles components of Svelte, and modules that have its state', async () => {
  const logs = await logsOf({
    ...page(`import App from './App.svelte'; import { state } from './state.svelte.ts';
      console.log(App, state, getComputedStyle(document.body).color)`),
    'App.svelte': '<style>body { color: rgb(4, 5, 6) }</style>',
    'state.svelte.ts': 'export const state: number = $state(2);',
    'node_modules/svelte/package.json':
      '{ "exports": { "./compiler": { "require": "./compiler.js" } } }',
    'node_modules/svelte/compiler.js': `
      exports.compile = (text, { filename, generate, css }) => ({
        js: { code: 'export default ' + JSON.stringify([filename, generate, css].join(' ')) },
        css: { code: text.replace(/<.*?>/g, '') },
      });
      exports.compileModule = (text) => ({ js: { code: text.replace('$state', 'Number') } });`,
  });
  expect(logs).toEqual(['/app/App.svelte client external 2 rgb(4, 5, 6)']);
});
