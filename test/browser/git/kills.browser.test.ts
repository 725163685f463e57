// A worker that clones, merges or pushes is ended, by a real `terminate`, at each thing that it
// does. It does things with the server, on its draft, and with the browser's storage. The workspace
// is then as before the command or as after it. VITE_GIT_KILLS=all kills at each of them; the
// ordinary run at one of each command.
import { afterAll, describe, expect, it } from 'vitest';
import type { GitKillsReport, GitKillsTask, GitState } from './kills.worker.ts';
import KillsWorker from './kills.worker.ts?worker';

const killsAll = import.meta.env['VITE_GIT_KILLS'] === 'all';

type Command = 'clone' | 'merge' | 'push';
type Task = Pick<GitKillsTask, 'name' | 'url'>;

/** To its end, or to where it stops. One task at a time. */
function runIn(worker: Worker, task: Omit<GitKillsTask, 'stopAt'>, stopAt = 0) {
  return new Promise<GitKillsReport>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }: MessageEvent<GitKillsReport>) => {
      if (data.type === 'failed') reject(new Error(data.message));
      else resolve(data);
    };
    worker.postMessage({ ...task, stopAt } satisfies GitKillsTask);
  });
}

/** Prepares, and looks at what is left. */
const witness = new KillsWorker();
afterAll(() => witness.terminate());

/** Runs the command up to a point, and ends its worker there. */
async function kill(task: Task, command: Command, stopAt: number): Promise<GitKillsReport> {
  const worker = new KillsWorker();
  const report = await runIn(worker, { ...task, command }, stopAt);
  worker.terminate();
  return report;
}

/** What the server has. */
async function readServer(url: string): Promise<string | undefined> {
  const response = await fetch(`${url}/info/refs?service=git-upload-pack`);
  return /([0-9a-f]{40}) refs\/heads\/main/u.exec(await response.text())?.[1];
}

async function lookAt(task: Task) {
  const found = await runIn(witness, { ...task, command: 'look' });
  if (found.type !== 'found') throw new Error(`It didn't look: ${found.type}`);
  return { ...found, server: await readServer(task.url) };
}

async function prepare(command: Command) {
  const name = `git-kills-${crypto.randomUUID()}`;
  const task: Task = { name, url: `${location.origin}/git-server/${name}.git` };
  if (command !== 'clone') await runIn(witness, { ...task, command: 'prepare' });
  return { task, before: await lookAt(task) };
}

/** What a finished command leaves, for whoever sees that a killed one was over. */
const finished: Record<Command, (state: GitState | null, server: string | undefined) => void> = {
  clone: (state, server) => {
    expect(state).toEqual({ head: server, parents: 0, files: [], tracking: server });
  },
  merge: (state) => expect(state).toMatchObject({ parents: 2, files: [] }),
  push: (state, server) =>
    expect(state).toMatchObject({ head: server, tracking: server, files: [] }),
};

/** What each is stopped at, at least. */
const phases: Record<Command, readonly string[]> = {
  clone: [
    'refs of git-upload-pack: answered',
    'sent to git-upload-pack: arriving',
    'progress: indexing',
    'progress: checking out',
    'draft: refs',
    'draft: index',
    'storage: write',
    'committed',
  ],
  merge: [
    'draft: many files',
    'draft: objects',
    'draft: index',
    'draft: refs',
    'storage: write',
    'committed',
  ],
  push: [
    'refs of git-receive-pack: answered',
    'progress: sending',
    'sent to git-receive-pack: before',
    'sent to git-receive-pack: answered',
    'sent to git-receive-pack: arrived',
    'draft: refs',
    'storage: write',
    'committed',
  ],
};

/** Where the ordinary run kills: while the command works, while it is stored, and once the server has answered. */
const ordinary: Record<Command, string> = {
  clone: 'progress: checking out',
  merge: 'storage: write',
  push: 'sent to git-receive-pack: answered',
};

describe.each(['clone', 'merge', 'push'] as const)('a %s whose worker is killed', (command) => {
  it(
    'leaves the workspace as before or as after, and can be done again',
    async () => {
      const whole = await prepare(command);
      const report = await runIn(witness, { ...whole.task, command });
      if (report.type !== 'over') throw new Error(`It didn't end: ${JSON.stringify(report)}`);
      const { points } = report;
      expect(points).toEqual(expect.arrayContaining([...phases[command]]));
      const after = await lookAt(whole.task);
      finished[command](after.state, after.server);

      const numbers = killsAll
        ? points.map((_point, at) => at + 1)
        : [points.indexOf(ordinary[command]) + 1];
      for (const stopAt of numbers) {
        const { task, before } = await prepare(command);
        const stopped = await kill(task, command, stopAt);
        const at = `${stopAt}: ${JSON.stringify(stopped)}`;
        expect(stopped, at).toMatchObject({ type: 'stopped' });
        const found = await lookAt(task);
        const isAsBefore = found.hash === before.hash;
        if (isAsBefore) expect(found.state, at).toEqual(before.state);
        else finished[command](found.state, found.server);
        if (command === 'push') {
          // What is known here of the server is what it has, or what it had: never what it doesn't have yet.
          expect([before.server, before.state?.head], at).toContain(found.server);
          if (found.server === before.server) expect(isAsBefore, at).toBe(true);
        }
        if (!isAsBefore) continue;
        await runIn(witness, { ...task, command });
        const again = await lookAt(task);
        finished[command](again.state, again.server);
      }
    },
    killsAll ? 900_000 : undefined,
  );
});
