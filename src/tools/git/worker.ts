// The body of a host's own git, in a tool worker: one command on a draft, which the host commits whole.
import type { WorkContext } from '../../core/tool/handler.ts';
import { gitWorkParser, type GitWorkInput } from './input.ts';

export const gitWorker = { inputSchema: gitWorkParser, handler: runCommand };

async function runCommand(
  { command, args }: GitWorkInput,
  { runGit, signal, progress, startClock }: WorkContext<unknown>,
): Promise<unknown> {
  startClock();
  return runGit(command, args, { signal, onProgress: progress });
}
