/**
 * Runs named commands two at a time and prints one line for each, with the output of those that
 * fail. `npm run check` is a table of such lanes.
 */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** One check: what it is called, and the command with its arguments. */
export interface Lane {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** How a lane ended; `output` holds stdout and stderr as they came. */
export interface LaneResult {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

/**
 * The lanes whose names begin with one of `asked`, in table order; all of them where nothing is asked.
 * `unknown` holds what no name begins with.
 */
export function chooseLanes(
  lanes: readonly Lane[],
  asked: readonly string[],
): { readonly chosen: readonly Lane[]; readonly unknown: readonly string[] } {
  const isMeant = (lane: Lane, start: string): boolean => lane.name.startsWith(start);
  return {
    chosen:
      asked.length === 0
        ? lanes
        : lanes.filter((lane) => asked.some((start) => isMeant(lane, start))),
    unknown: asked.filter((start) => !lanes.some((lane) => isMeant(lane, start))),
  };
}

/**
 * Runs all lanes, whatever happens to the others, and resolves with their results in table order.
 * Commands are found in `root`'s node_modules/.bin first. A command that can't be started is a
 * failed lane.
 *
 * @param atOnce two by default: a small machine has two cores
 */
export async function runLanes(
  lanes: readonly Lane[],
  root: string,
  print: (line: string) => void,
  atOnce = 2,
): Promise<LaneResult[]> {
  const results = new Map<Lane, LaneResult>();
  const waiting = [...lanes];
  const work = async (): Promise<void> => {
    for (let lane = waiting.shift(); lane; lane = waiting.shift()) {
      const result = await runLane(lane, root);
      results.set(lane, result);
      print(`${result.ok ? 'ok  ' : 'FAIL'} ${result.name} (${result.seconds.toFixed(1)} s)`);
      if (!result.ok) print(indent(result.output));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return lanes.flatMap((lane) => results.get(lane) ?? []);
}

function runLane({ name, command }: Lane, root: string): Promise<LaneResult> {
  const [program, ...args] = command;
  const started = performance.now();
  const bin = join(root, 'node_modules', '.bin');
  return new Promise((resolve) => {
    let output = '';
    const end = (ok: boolean): void =>
      resolve({ name, ok, seconds: (performance.now() - started) / 1000, output });

    const child = spawn(program, args, {
      cwd: root,
      env: {
        ...process.env,
        PATH: bin + delimiter + (process.env['PATH'] ?? ''),
        FORCE_COLOR: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => {
      output += `${program} could not be started: ${error.message}\n`;
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '     ');
}
