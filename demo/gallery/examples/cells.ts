// Calls of Repl.
import type { ReplInput, ReplOutput, ReplProgress } from '../../../src/tools/repl/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const report = [
  ' ✓ test/parse.test.ts (4 tests)',
  ' ✗ test/format.test.ts (9 tests | 1 failed)',
  "AssertionError: expected '59m 60s' to be '1h'",
  '',
  '      Tests  1 failed | 12 passed (13)',
].join('\n');

const output: ReplOutput = {
  stdout: `${report}\n`,
  stderr: 'test/format.test.ts took 1.2 s',
  interrupted: false,
  display: '{ passed: 12, failed: 1 }',
  changes: [
    {
      path: '/workspace/test/report.json',
      type: 'create',
      additions: 3,
      deletions: 0,
      structuredPatch: [
        {
          oldStart: 0,
          oldLines: 0,
          newStart: 1,
          newLines: 3,
          lines: ['+{', '+  "passed": 12, "failed": 1', '+}'],
        },
      ],
    },
    {
      path: '/workspace/test/old-report.json',
      type: 'delete',
      additions: 0,
      deletions: 1,
      structuredPatch: [
        { oldStart: 1, oldLines: 1, newStart: 0, newLines: 0, lines: ['-{ "passed": 13 }'] },
      ],
    },
  ],
  rolledBack: false,
  returnCodeInterpretation: '1 test failed',
};

const progress: readonly ReplProgress[] = [
  { stdout: ' ✓ test/parse.test.ts (4 tests)\n' },
  { stderr: 'test/format.test.ts takes long' },
];

const failed: ReplOutput = {
  stdout: ' ✓ test/parse.test.ts (4 tests)\n',
  stderr: '',
  interrupted: false,
  error: {
    name: 'TypeError',
    message: "cannot read property 'name' of undefined",
    line: 3,
    stack: '    at <cell>:3:21\n    at toParts (src/format.ts:6:14)\n',
  },
  changes: [],
  rolledBack: true,
};

export const replExample: ToolExample<ReplInput, ReplOutput> = {
  input: {
    code: "import { runTests } from 'test';\nconst result = await runTests('test/**/*.test.ts');\nfs.writeFileSync('test/report.json', JSON.stringify(result));\nresult",
    description: "Run the project's tests",
    timeout: 30_000,
  },
  output,
  progress,
  failure: "TypeError: cannot read property 'name' of undefined (line 3)",
  failed,
  variants: {
    'in the background': {
      isTask: true,
      input: { code: 'await watch()', run_in_background: true },
      output: {
        stdout: '',
        stderr: '',
        interrupted: false,
        backgroundTaskId: 'b1',
        persistedOutputPath: '/session/s1/tasks/b1.output',
        changes: [],
        rolledBack: false,
      },
    },
  },
};
