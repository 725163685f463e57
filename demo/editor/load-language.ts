// The editor's grammars, each loaded when the first file of its kind is opened.
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const loaders: Readonly<Record<string, () => Promise<Extension>>> = {
  css: async () => (await import('@codemirror/lang-css')).css(),
  html: async () => (await import('@codemirror/lang-html')).html(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  // Prose has one line for each paragraph, so lines are wrapped.
  md: async () => [(await import('@codemirror/lang-markdown')).markdown(), EditorView.lineWrapping],
  js: () => loadScript({}),
  jsx: () => loadScript({ jsx: true }),
  ts: () => loadScript({ typescript: true }),
  tsx: () => loadScript({ typescript: true, jsx: true }),
};

const others: Readonly<Record<string, string>> = {
  cjs: 'js',
  mjs: 'js',
  cts: 'ts',
  mts: 'ts',
  htm: 'html',
  svg: 'html',
  markdown: 'md',
};

/** The grammar for a path. Null if there is none. */
export async function loadLanguage(path: string): Promise<Extension | null> {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const load = loaders[others[extension] ?? extension];
  return load ? await load() : null;
}

async function loadScript(options: { jsx?: boolean; typescript?: boolean }): Promise<Extension> {
  return (await import('@codemirror/lang-javascript')).javascript(options);
}
