// The turn that an agent of ours and its peer take in a Durable Object. A file is written, read and
// changed by the tools that each has. Then the model says so.

export const prompt = 'Write the note, then mend it.';

interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  /** What the peer's tool of that name takes. */
  readonly peerInput: Readonly<Record<string, unknown>>;
}

const content = `The first line of the note.\n${'It has some more lines of text.\n'.repeat(40)}`;

const path = '/workspace/note.md';
const before = 'The first line';
const after = 'The mended line';

/** One a request. */
export const calls: readonly ScriptedCall[] = [
  { name: 'Write', input: { file_path: path, content }, peerInput: { path, content } },
  { name: 'Read', input: { file_path: path }, peerInput: { path } },
  {
    name: 'Edit',
    input: { file_path: path, old_string: before, new_string: after },
    peerInput: { path, edits: [{ oldText: before, newText: after }] },
  },
];

export const notePath = path;

/** The last reply, streamed in pieces of so many characters. */
export const answer = 'The note is written and mended, and this is what I have to say. '.repeat(15);
export const pieceLength = 20;

/** What the file has come to, or the turn wasn't one. */
export function checkNote(text: string | null): void {
  const wanted = content.replace(before, after);
  if (text !== wanted) throw new Error(`The note is ${JSON.stringify(text?.slice(0, 100))}.`);
}
