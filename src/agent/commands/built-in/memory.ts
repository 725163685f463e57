// `/memory` shows the conversation's instructions and notes.
import type { CommandRun } from '../built-in-commands.ts';
import { formatCount } from './format.ts';

export function runMemory({ session: { memory, permissions } }: CommandRun): string {
  const { files, hasEnvironment } = memory.record;
  const { notes } = permissions.current();
  const told = files.map(({ path, chars, why }) => {
    const whose = why.memory_type.toLowerCase();
    return chars > 0
      ? `${path}: ${formatCount(chars)} characters (${whose})`
      : `${path}: nothing that another file doesn’t say (${whose})`;
  });
  return [
    ...(told.length > 0
      ? ['The model was told what stands in:', ...told]
      : [
          hasEnvironment
            ? 'The model was told no file of instructions.'
            : 'Files of instructions are told with the first prompt.',
        ]),
    ...(notes ? [`The agent keeps notes for later conversations in ${notes.directory}.`] : []),
  ].join('\n');
}
