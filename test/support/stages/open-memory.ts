// A conversation's memory over a real workspace of these files, without a session around it.
import { createMemory } from '../../../src/agent/context/memory.ts';
import type { Memory, MemoryOptions } from '../../../src/agent/context/memory.ts';
import type { InstructionsLoaded } from '../../../src/agent/context/instructions.ts';
import { parseRules } from '../../../src/agent/permissions/rules.ts';
import { openRoot } from '../../../src/agent/session/files/session-root.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { dirname } from '../../../src/core/path.ts';
import { readSystemReminder } from '../../../src/core/messages/system-reminder.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

export const cwd = '/w/app';
/** A link where it begins with `-> `. */
export type Files = Readonly<Record<string, string>>;

export async function write(workspace: Workspace, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await workspace.fs.mkdir(dirname(path), { recursive: true });
    if (text.startsWith('-> ')) await workspace.fs.symlink(text.slice(3), path);
    else await workspace.fs.writeFile(path, text);
  }
}

export interface Opened {
  readonly workspace: Workspace;
  readonly memory: Memory;
  readonly loaded: InstructionsLoaded[];
  readonly warnings: string[];
  readonly reopen: (record: MemoryOptions['record']) => Promise<Memory>;
  /** The texts of the files that the prompt was told, without what introduces them. */
  prompt(): Promise<string[]>;
  read(...paths: string[]): Promise<string[]>;
}

export async function openMemory(
  files: Files,
  options: Partial<MemoryOptions> & { readonly rules?: readonly string[] } = {},
): Promise<Opened> {
  const workspace = await createMemoryWorkspace();
  await write(workspace, { [`${cwd}/a.ts`]: '', ...files });
  const loaded: InstructionsLoaded[] = [];
  const warnings: string[] = [];
  const rules = parseRules(options.rules ?? [], 'deny', 'cliArg');
  const given: MemoryOptions = {
    host: { clock: createVirtualClock(), kind: 'inline' },
    root: openRoot(workspace, 'main'),
    cwd,
    place: { next: cwd },
    sources: ['project', 'local'],
    permissions: () => ({ rules, additionalWorkingDirectories: new Map([['/more', 'cliArg']]) }),
    onLoaded: (one) => void loaded.push(one),
    warn: (message) => void warnings.push(message),
    ...options,
  };
  const memory = await createMemory(given);
  return {
    workspace,
    memory,
    loaded,
    warnings,
    reopen: (record) => createMemory({ ...given, ...(record && { record }) }),
    prompt: async () => toTexts(await memory.beforePrompt('model-1')),
    read: async (...paths) => toTexts(await memory.afterReads(paths)),
  };
}

export const toReminders = (messages: readonly MessageParam[]): string[] =>
  messages.map(({ content }) => {
    const [block] = content as readonly { readonly text: string }[];
    return readSystemReminder(block?.text ?? '') ?? 'no reminder';
  });
/** Without the environment. Of those with a text behind the first paragraph that text alone. */
export const toTexts = (messages: readonly MessageParam[]): string[] =>
  toReminders(messages)
    .filter((text) => !text.startsWith('Where you work'))
    .map((text) => (text.includes('\n\n') ? text.slice(text.indexOf('\n\n') + 2) : text));
