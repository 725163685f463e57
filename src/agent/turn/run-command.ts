// Passes a command the parts of the agent that it needs. The loop calls it for a prompt that begins
// with a slash. The commands and their outcomes are in commands/.
import { createCallFiles } from '../calls/call-files.ts';
import { takeCommand } from '../commands/take-command.ts';
import type { AskedCommand, TakenCommand } from '../commands/take-command.ts';
import { toReadAccess } from '../permissions/read-access.ts';
import type { Session } from '../session/session.ts';

/** Works like {@link takeCommand}. */
export function runCommand(
  session: Session,
  asked: Pick<AskedCommand, 'line' | 'promptId' | 'signal'>,
): Promise<TakenCommand> {
  const { root, permissions, place, sessionDirectories } = session;
  const reach = { cwd: place.next, rulesFrom: place.rulesFrom, sessionDirectories };
  return takeCommand(session, {
    ...asked,
    files: createCallFiles(root.fs, toReadAccess(permissions.current(), reach)),
    compact: async (instructions) => {
      const { compactNow } = await import('./compact-session.ts');
      return compactNow(session, instructions, asked.signal);
    },
    clear: async () => {
      const { clearSession } = await import('../session/clear-session.ts');
      return clearSession(session);
    },
    rewind: async (promptUuid) => {
      const { rewindToPrompt } = await import('../session/files/rewind.ts');
      return rewindToPrompt(session, promptUuid);
    },
  });
}
