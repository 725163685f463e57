// What a model gets wrong, and what it must be told. Every host refuses these calls with the same
// words, leaving the workspace as it is.
import type { Call, Conversation, Entry, Report, Turn } from '../page/run-turns.ts';

export interface BadCall {
  readonly name: string;
  /** What goes before in the same conversation. */
  readonly before?: readonly Turn[];
  /** What a person changes just before the call. */
  readonly writes?: Turn['writes'];
  readonly call: Call;
  /** The whole result; `<session>` stands for the session's id. */
  readonly answer: string;
}

/** What stands in the workspace. What the links lead to is really there, outside. */
const files: Readonly<Record<string, Entry>> = {
  '/etc/passwd': 'root:x:0:0\n',
  '/workspace/list.txt': 'one\ntwo\none\n',
  '/workspace/picture.bin': [0, 1, 2, 3, 0, 255],
  '/workspace/link': { target: '../etc/passwd' },
  '/workspace/out': { target: '/etc' },
};

/** The conversation in which the call is made last. */
export function toConversation(badCall: BadCall, sessionId: string): Conversation {
  const { before = [], writes, call } = badCall;
  const last = { ...(writes && { writes }), calls: [call] };
  return { turns: [{ writes: files }, ...before, last], sessionId };
}

/** What must come of it: one error, told to the model, and a turn that goes on. */
export function expectedReport(badCall: BadCall, sessionId: string, hashBefore: string): Report {
  return {
    answers: [{ text: badCall.answer.replace('<session>', sessionId), isError: true }],
    end: { subtype: 'success', text: 'Done.' },
    retries: [],
    hashBefore,
    hashAfter: hashBefore,
  };
}

const read = (path: string): Call => ({ name: 'Read', input: { file_path: path } });
const write = (path: string): Call => ({
  name: 'Write',
  input: { file_path: path, content: 'x' },
});
const edit = (path: string, text: string): Call => ({
  name: 'Edit',
  input: { file_path: path, old_string: text, new_string: 'x' },
});
const cell = (code: string): Call => ({ name: 'Repl', input: { code } });

const hasRead = [{ calls: [read('list.txt')] }];
const changed = { '/workspace/list.txt': 'three\n' };
const hasChanged =
  '/workspace/list.txt has changed since you read it. Read it again, then make this change on ' +
  'what is there now.';

const outside = (call: string, path: string) =>
  'EACCES: the path is outside the workspace; paths must be in /workspace, /session/<session>, ' +
  `${call} '${path}'`;

const outsideInCell = (path: string, code: string) =>
  `Error: ${outside('open', path)} (line 1 of the cell)\n    at <anonymous> (cell-1:1)\n      1 | ${code}\n` +
  `{ errno: -13, code: 'EACCES', syscall: 'open', path: '${path}' }\n` +
  '(Rolled back: variables and files are as before this cell.)';

export const badCalls: readonly BadCall[] = [
  {
    name: 'an unknown tool',
    call: { name: 'Reed', input: { file_path: 'list.txt' } },
    answer: 'There is no tool named Reed. Did you mean Read or Repl?',
  },
  {
    name: 'wrong types',
    call: { name: 'Read', input: { file_path: 5, limit: '10', lines: true } },
    answer:
      "The input of Read isn't valid:\n" +
      '- file_path: Invalid input: expected string, received number\n' +
      '- limit: Invalid input: expected number, received string\n' +
      '- (the whole input): Unrecognized key: "lines"\n' +
      'Correct it and call Read again.',
  },
  ...['../../etc/passwd', '/etc/passwd'].map((path) => ({
    name: `a path outside: Read ${path}`,
    call: read(path),
    answer: outside('stat', '/etc/passwd'),
  })),
  {
    name: 'a link to a file outside: Read',
    call: read('link'),
    answer: outside('stat', '/workspace/link'),
  },
  {
    name: 'a link to a directory outside: Read',
    call: read('out/passwd'),
    answer: outside('stat', '/workspace/out/passwd'),
  },
  {
    name: 'a path outside: Write ../../etc/passwd',
    call: write('../../etc/passwd'),
    answer: outside('stat', '/etc/passwd'),
  },
  {
    name: 'a link to a file outside: Write',
    call: write('link'),
    answer: outside('stat', '/workspace/link'),
  },
  {
    name: 'a link to a directory outside: Write of a new file',
    call: write('out/new'),
    answer: outside('stat', '/workspace/out/new'),
  },
  {
    name: 'a path outside: Edit /etc/passwd',
    call: edit('/etc/passwd', 'root'),
    answer: outside('stat', '/etc/passwd'),
  },
  {
    name: 'a path outside: Grep',
    call: { name: 'Grep', input: { pattern: 'root', path: '/etc' } },
    answer: outside('stat', '/etc'),
  },
  {
    name: 'a path outside: Glob',
    call: { name: 'Glob', input: { pattern: '*', path: '../etc' } },
    answer: outside('stat', '/etc'),
  },
  {
    name: 'a path outside: Repl reads',
    call: cell("require('fs').readFileSync('/etc/passwd', 'utf8')"),
    answer: outsideInCell('/etc/passwd', "require('fs').readFileSync('/etc/passwd', 'utf8')"),
  },
  {
    name: 'a path outside: Repl writes',
    call: cell("require('fs').writeFileSync('out/new', 'x')"),
    answer: outsideInCell('out/new', "require('fs').writeFileSync('out/new', 'x')"),
  },
  {
    name: 'a missing file: Read',
    call: read('list.text'),
    answer: "/workspace/list.text doesn't exist. In its directory there is: list.txt.",
  },
  {
    name: 'a missing file: Edit',
    call: edit('src/nothing.ts', 'one'),
    answer:
      "/workspace/src/nothing.ts doesn't exist, and neither does its directory. Use Glob to find " +
      'the file.',
  },
  {
    name: 'an Edit that matches nowhere',
    before: hasRead,
    call: edit('list.txt', 'four'),
    answer:
      "old_string isn't in /workspace/list.txt. Nothing in the file resembles it. Read the file " +
      'to see what it says now.',
  },
  {
    name: 'an Edit that matches twice',
    before: hasRead,
    call: edit('list.txt', 'one'),
    answer:
      'old_string is in /workspace/list.txt 2 times, on lines 1, 3. Give more of the text around ' +
      'the one that you mean, or set replace_all to change them all.',
  },
  {
    name: 'an Edit of a file that was not read',
    call: edit('list.txt', 'two'),
    answer:
      "/workspace/list.txt is there already, and you haven't read it in this conversation. Read " +
      'it first, then make this change.',
  },
  {
    name: 'a stale version: Edit after a person changed the file',
    before: hasRead,
    writes: changed,
    call: edit('list.txt', 'three'),
    answer: hasChanged,
  },
  {
    name: 'a stale version: Write after a person changed the file',
    before: hasRead,
    writes: changed,
    call: write('list.txt'),
    answer: hasChanged,
  },
  {
    name: 'a binary file',
    call: read('picture.bin'),
    answer:
      "/workspace/picture.bin is binary, no text, which Read can't show. Look into its bytes with " +
      'Repl: fs.readFileSync gives them.',
  },
  {
    name: 'a cell that writes and then throws',
    call: cell("require('fs').writeFileSync('new.txt', 'x'); throw new RangeError('too far')"),
    answer:
      'RangeError: too far (line 1 of the cell)\n    at <anonymous> (cell-1:1)\n' +
      "      1 | require('fs').writeFileSync('new.txt', 'x'); throw new RangeError('too far')\n" +
      '(Rolled back: variables and files are as before this cell.)',
  },
];
