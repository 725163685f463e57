// Calls of the tools that read, search and change files.
import type { EditInput, EditOutput } from '../../../src/tools/edit/schema.ts';
import type { GlobInput, GlobOutput } from '../../../src/tools/glob/schema.ts';
import type { GrepInput, GrepOutput } from '../../../src/tools/grep/schema.ts';
import type { LspInput, LspOutput } from '../../../src/tools/lsp/schema.ts';
import type {
  NotebookEditInput,
  NotebookEditOutput,
} from '../../../src/tools/notebook-edit/schema.ts';
import type { ReadInput, ReadOutput } from '../../../src/tools/read/schema.ts';
import type { WriteInput, WriteOutput } from '../../../src/tools/write/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const path = '/workspace/src/format.ts';

const hunk = {
  oldStart: 21,
  oldLines: 4,
  newStart: 21,
  newLines: 5,
  lines: [
    ' /** Whole minutes, rounded as a reader would. */',
    '-export function toMinutes(ms: number) {',
    '-  return Math.floor(ms / 60_000);',
    '+export function toMinutes(ms: number): number {',
    '+  const minutes = ms / 60_000;',
    '+  return Math.round(minutes);',
    ' }',
  ],
};

export const editExample: ToolExample<EditInput, EditOutput> = {
  input: {
    file_path: path,
    old_string: '  return Math.floor(ms / 60_000);',
    new_string: '  const minutes = ms / 60_000;\n  return Math.round(minutes);',
  },
  output: {
    filePath: path,
    oldString: '  return Math.floor(ms / 60_000);',
    newString: '  const minutes = ms / 60_000;\n  return Math.round(minutes);',
    originalFile: null,
    structuredPatch: [hunk],
    userModified: false,
    replaceAll: false,
  },
  failure: `old_string occurs 2 times in ${path}. Give more of the lines around it, or set replace_all.`,
  variants: { 'changed before it was allowed': { isChanged: true } },
};

const notes = '# Notes\n\n- Tides are in metres.\n- Times are UTC.\n';

export const writeExample: ToolExample<WriteInput, WriteOutput> = {
  input: { file_path: '/workspace/docs/notes.md', content: notes },
  output: {
    type: 'create',
    filePath: '/workspace/docs/notes.md',
    content: notes,
    structuredPatch: [],
    originalFile: null,
    userModified: false,
  },
  failure: 'Read /workspace/docs/notes.md before you write over it.',
  variants: {
    'over a file, changed before it was allowed': {
      isChanged: true,
      input: { file_path: path, content: 'export {};\n' },
      output: {
        type: 'update',
        filePath: path,
        content: 'export {};\n',
        structuredPatch: [hunk],
        originalFile: null,
        userModified: false,
      },
    },
  },
};

const source = [
  '// Durations as people read them.',
  "import { units } from './units.ts';",
  '',
  '/** "1h 5m" for 3 900 000. */',
  'export function formatDuration(ms: number): string {',
  '  const parts = units.map(({ name, size }) => `${Math.round(ms / size)}${name}`);',
  "  return parts.join(' ');",
  '}',
].join('\n');

/** 96 × 48 pixels: a tide. */
export const examplePng =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAAAwCAIAAABhdOiYAAAA1klEQVR42u3Quw0CMRRE0SmHEokpkioIKAGkTVawWKz9PhNc6cWe66P748kNThAABBBAAAEEEEAAcQABBBBAAAEE0PpdrrfDc9N5J8mExpBpi5GbjoPRvkSGOr1GHxkypGk0+m6QrU690WGAO1CZ0a91mevUGA2m5a+TbTTeVcZ2LE0e0z+LCh/O02lJVexwtk59qgKHa3SKUxU1XKlTmaqQ4XqdslStD3fpnE2de18r2700p4ymH9f0vIlOdqfc/ul2AAEEEEAAAQQQQABxAAEEEEB29wI/58Le7Qe+/wAAAABJRU5ErkJggg==';

export const readExample: ToolExample<ReadInput, ReadOutput> = {
  input: { file_path: path, offset: 1, limit: 8 },
  output: {
    type: 'text',
    file: { filePath: path, content: source, numLines: 8, startLine: 1, totalLines: 28 },
  },
  failure: `There is no file ${path}. Did you mean /workspace/src/formats.ts?`,
  variants: {
    'an image': {
      input: { file_path: '/workspace/docs/tide.png' },
      output: { type: 'image', file: { base64: examplePng, type: 'image/png', originalSize: 271 } },
    },
    'pages of a PDF': {
      input: { file_path: '/workspace/docs/tides.pdf', pages: '2-3' },
      output: {
        type: 'pages',
        file: { filePath: '/workspace/docs/tides.pdf', originalSize: 20_480, totalPages: 12 },
        firstPage: 2,
        pages: [{ text: 'High water\n04:12  5.1 m' }, { text: 'Low water\n10:33  0.8 m' }],
      },
    },
    'a notebook': {
      input: { file_path: '/workspace/tides.ipynb' },
      output: {
        type: 'notebook',
        file: {
          filePath: '/workspace/tides.ipynb',
          cells: [
            { id: 'a1', cellType: 'markdown', source: '# Tides' },
            { id: 'b2', cellType: 'code', source: 'sum([5.1, 0.8])', outputText: '5.9' },
          ],
        },
      },
    },
  },
};

export const globExample: ToolExample<GlobInput, GlobOutput> = {
  input: { pattern: '**/*.test.ts', path: 'test' },
  output: {
    durationMs: 3,
    numFiles: 3,
    filenames: [
      '/workspace/test/format.test.ts',
      '/workspace/test/parse.test.ts',
      '/workspace/test/a-folder-with-a-long-name/and-a-file-with-a-name-that-no-line-can-hold.test.ts',
    ],
    truncated: false,
    totalMatches: 3,
    countIsComplete: true,
  },
  failure: 'There is no directory /workspace/test.',
};

export const lspExample: ToolExample<LspInput, LspOutput> = {
  input: { operation: 'diagnostics', file_path: 'src/format.ts' },
  output: {
    operation: 'diagnostics',
    server: 'typescript',
    scope: 'tsconfig.json',
    diagnostics: [
      {
        path: '/workspace/src/format.ts',
        line: 6,
        character: 9,
        text: '  const parts: string = units.map(({ name }) => name);',
        severity: 'error',
        code: 'ts2322',
        message: "Type 'string[]' is not assignable to type 'string'.",
      },
    ],
    total: 1,
    files: 1,
  },
  failure: 'No language server serves /workspace/style.css. There is typescript: *.ts, *.tsx.',
};

export const grepExample: ToolExample<GrepInput, GrepOutput> = {
  input: { pattern: 'Math\\.(round|floor)', path: 'src', output_mode: 'content', '-n': true },
  output: {
    mode: 'content',
    numFiles: 2,
    filenames: ['src/format.ts', 'src/units.ts'],
    content: [
      'src/format.ts:6:  const parts = units.map(({ name, size }) => Math.round(ms / size));',
      "src/format.ts-7-  return parts.join(' ');",
      '--',
      'src/units.ts:12:  return Math.floor(ms);',
    ].join('\n'),
    numLines: 3,
    marks: [[46, 56], [], [], [9, 19]],
  },
  failure: 'The pattern has a group that is never closed: Math\\.(round. Escape the parenthesis.',
  variants: {
    'names of files': {
      input: { pattern: 'tide' },
      output: {
        mode: 'files_with_matches',
        numFiles: 2,
        filenames: ['src/tidepool.ts', 'README.md'],
      },
    },
    'nothing found': {
      input: { pattern: 'ebb', output_mode: 'content' },
      output: { mode: 'content', numFiles: 0, filenames: [], content: '', numLines: 0 },
    },
  },
};

export const notebookEditExample: ToolExample<NotebookEditInput, NotebookEditOutput> = {
  input: {
    notebook_path: '/workspace/tides.ipynb',
    cell_id: 'b2',
    new_source: 'total = sum([5.1, 0.8])\nround(total, 1)',
  },
  output: {
    new_source: 'total = sum([5.1, 0.8])\nround(total, 1)',
    old_source: 'sum([5.1, 0.8])',
    cell_id: 'b2',
    cell_type: 'code',
    language: 'python',
    edit_mode: 'replace',
    notebook_path: '/workspace/tides.ipynb',
    original_file: null,
    updated_file: null,
  },
  failure: 'There is no cell b2 in /workspace/tides.ipynb. Its cells are a1, c3.',
};
