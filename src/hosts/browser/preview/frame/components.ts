// Components of Vue and Svelte are compiled by the project's own compiler, which is a package like any other. It runs
// in the page, because it is a stranger's code.
import { toPathId } from './path-id.ts';

/** A component's code, and what its styles are. */
export interface CompiledComponent {
  readonly code: string;
  /** How the code is to be read: as JavaScript, or as TypeScript, and with JSX. */
  readonly language: 'js' | 'jsx' | 'ts' | 'tsx';
  readonly styles: readonly string[];
}

interface ComponentKind {
  readonly compiler: string;
  readonly request: 'import' | 'require';
  /** @throws Error for a component that the compiler refuses */
  compile(compiler: unknown, path: string, text: string): CompiledComponent;
}

export function kindOfComponent(path: string): ComponentKind {
  return path.endsWith('.vue') ? vue : svelte;
}

interface VueBlock {
  readonly content: string;
  readonly lang?: string;
  readonly src?: string;
  readonly scoped?: boolean;
  readonly module?: unknown;
}

interface VueDescriptor {
  readonly script: VueBlock | null;
  readonly scriptSetup: VueBlock | null;
  readonly template: VueBlock | null;
  readonly styles: readonly VueBlock[];
}

/** The part of `vue/compiler-sfc` that is used. */
interface VueCompiler {
  parse(
    text: string,
    options: object,
  ): { readonly descriptor: VueDescriptor; readonly errors: readonly unknown[] };
  compileScript(
    descriptor: VueDescriptor,
    options: object,
  ): { readonly content: string; readonly bindings?: unknown };
  compileTemplate(options: object): { readonly code: string; readonly errors: readonly unknown[] };
  compileStyle(options: object): { readonly code: string; readonly errors: readonly unknown[] };
}

const vue: ComponentKind = {
  compiler: 'vue/compiler-sfc',
  request: 'import',
  compile(given, path, text) {
    const compiler = given as VueCompiler;
    const { descriptor, errors } = compiler.parse(text, { filename: path });
    throwFirst(errors);
    const { script, scriptSetup, template, styles } = descriptor;
    refuseUnknown([script, scriptSetup, template, ...styles]);
    const id = toPathId(path);
    const isScoped = styles.some(({ scoped }) => scoped);
    const language = (scriptSetup ?? script)?.lang ?? 'js';
    const templateOptions = { scoped: isScoped, id, slotted: true };
    const isInline = scriptSetup !== null && template !== null;
    const compiled =
      script || scriptSetup
        ? compiler.compileScript(descriptor, {
            ...{ id, inlineTemplate: isInline, genDefaultAs: own, templateOptions },
          })
        : { content: `const ${own} = {};` };
    const parts = [compiled.content];
    if (template && !isInline) {
      const { code, errors: wrong } = compiler.compileTemplate({
        ...{ ...templateOptions, source: template.content, filename: path },
        compilerOptions: {
          ...('bindings' in compiled && { bindingMetadata: compiled.bindings }),
          expressionPlugins: language.startsWith('ts') ? ['typescript'] : [],
        },
      });
      throwFirst(wrong);
      parts.push(
        code.replace('export function render', 'function render'),
        `${own}.render = render;`,
      );
    }
    if (isScoped) parts.push(`${own}.__scopeId = 'data-v-${id}';`);
    parts.push(`${own}.__file = ${JSON.stringify(path)};`, `export default ${own};`);
    const sheets = styles.map(({ content, scoped }) => {
      const options = { source: content, filename: path, id: `data-v-${id}`, scoped };
      const { code, errors: wrong } = compiler.compileStyle(options);
      throwFirst(wrong);
      return code;
    });
    return {
      code: parts.join('\n'),
      language: language as CompiledComponent['language'],
      styles: sheets,
    };
  },
};

const own = '__component';
const languages = new Set([undefined, 'js', 'jsx', 'ts', 'tsx', 'css', 'html', 'postcss']);

function refuseUnknown(blocks: readonly (VueBlock | null)[]): void {
  for (const block of blocks) {
    if (block?.src !== undefined)
      throw new Error(
        `A block of another file (${block.src}) can't be read. Put it into the component`,
      );
    if (block?.module)
      throw new Error(
        "A CSS module in a component can't be read. Import it from a file of its own",
      );
    if (!languages.has(block?.lang))
      throw new Error(`A preview can't compile a block of the language ${block?.lang}`);
  }
}

function throwFirst(errors: readonly unknown[]): void {
  const [first] = errors;
  if (first !== undefined) throw first instanceof Error ? first : new Error(String(first));
}

/** The part of `svelte/compiler` that is used. */
interface SvelteCompiler {
  compile(text: string, options: object): SvelteResult;
  compileModule(text: string, options: object): SvelteResult;
}

interface SvelteResult {
  readonly js: { readonly code: string };
  readonly css?: { readonly code: string } | null;
}

const svelte: ComponentKind = {
  compiler: 'svelte/compiler',
  request: 'require',
  compile(given, path, text) {
    const compiler = given as SvelteCompiler;
    const options = { filename: path, generate: 'client', dev: true };
    const { js, css } = path.endsWith('.svelte')
      ? compiler.compile(text, { ...options, css: 'external' })
      : compiler.compileModule(text, options);
    return { code: js.code, language: 'js', styles: css ? [css.code] : [] };
  },
};
