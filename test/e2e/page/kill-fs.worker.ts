// The FS worker of the kill tests: the real one, whose log needs upkeep soon. Told to stop in a
// phase, it stands still in the middle of it. It does so by a request that the test doesn't answer
// but by killing it.
import { expose } from 'comlink';
import { createFsWorkerControl } from '../../../src/hosts/browser/fs-worker/fs-worker-control.ts';
import { Compaction } from '../../../src/workspace/log/compaction.ts';
import { ImageSlots } from '../../../src/workspace/log/image-slots.ts';
import { defaultLogLimits } from '../../../src/workspace/log/log-limits.ts';
import { LogSegments } from '../../../src/workspace/log/log-segments.ts';
import { WorkspaceLog } from '../../../src/workspace/log/workspace-log.ts';
import { stopChannel, type Phase, type Stop, type StopMessage } from './kill-stop.ts';

// Small enough for an image and a compaction to be due after some tens of operations. The page can't
// hand limits over: who embeds the host has no business with them.
Object.assign(defaultLogLimits, {
  segmentBytes: 4_194_304,
  imageBytes: 4096,
  deadBytes: 65_536,
  pieceBytes: 32_768,
  smallSegments: 2,
});

const search = new URLSearchParams(location.search);
const stopUrl = search.get('stopUrl') ?? '';
let wanted = JSON.parse(search.get('stop') ?? 'null') as Stop | null;
/** Calls of the browser's storage in the wanted phase. */
let calls = 0;
let phase: Phase | undefined;

/** Never returns: the browser is killed instead of an answer. */
function stop(at: Phase | 'rest'): void {
  const request = new XMLHttpRequest();
  request.open('POST', `${stopUrl}?at=${at}`, false);
  request.send();
}

type Method = (this: unknown, ...parameters: never[]) => unknown;

/** `around` is called instead of the method, and calls it or doesn't. */
function wrap(
  { prototype }: { readonly prototype: object },
  name: string,
  around: (run: () => unknown, parameters: readonly unknown[], self: unknown) => unknown,
): void {
  const original = Reflect.get(prototype, name) as Method;
  Reflect.set(prototype, name, function (this: unknown, ...parameters: never[]) {
    return around(() => original.apply(this, parameters), parameters, this);
  });
}

async function inPhase<Value>(name: Phase, run: () => Value): Promise<Awaited<Value>> {
  const outer = phase;
  phase = name;
  try {
    return await run();
  } finally {
    phase = outer;
  }
}

function isTimeToStop(): boolean {
  if (phase === undefined || phase !== wanted?.phase) return false;
  calls += 1;
  return calls >= wanted.calls;
}

wrap(ImageSlots, 'write', (run) => inPhase('image', run));
wrap(Compaction, 'copyPiece', (run) => inPhase('compaction', run));
// What a compaction has freed is removed.
wrap(LogSegments, 'remove', (run) => inPhase('compaction', run));

for (const [type, names] of [
  [FileSystemDirectoryHandle, ['getFileHandle', 'removeEntry', 'keys']],
  [FileSystemFileHandle, ['createSyncAccessHandle', 'getFile']],
  [FileSystemSyncAccessHandle, ['read', 'flush', 'truncate', 'close']],
] as const) {
  for (const name of names) {
    wrap(type, name, (run) => {
      if (phase && isTimeToStop()) stop(phase);
      return run();
    });
  }
}

const { write } = FileSystemSyncAccessHandle.prototype;
wrap(FileSystemSyncAccessHandle, 'write', (run, parameters, handle) => {
  if (!phase || !isTimeToStop()) return run();
  // As a kill in the middle of a long write leaves it.
  const [bytes, options] = parameters as [Uint8Array<ArrayBuffer>, FileSystemReadWriteOptions];
  const part = bytes.subarray(0, Math.floor(Math.random() * bytes.length));
  write.call(handle as FileSystemSyncAccessHandle, part, options);
  stop(phase);
});

// Once nobody writes any more and nothing is due, the wanted phase won't come.
let isQuiet = false;
let isResting = false;

wrap(WorkspaceLog, 'append', (run) => {
  isResting = false;
  return run();
});
wrap(WorkspaceLog, 'upkeep', async (run, [, isIdle]) => {
  isResting = false;
  const isDone = await run();
  isResting = isIdle === true && isDone === false;
  if (isResting && isQuiet) stop('rest');
  return isDone;
});
new BroadcastChannel(stopChannel).addEventListener(
  'message',
  ({ data }: MessageEvent<StopMessage>) => {
    if (data !== 'quiet') wanted = data;
    else isQuiet = true;
    if (isResting && isQuiet) stop('rest');
  },
);

const control = createFsWorkerControl();
expose({
  ...control,
  open: (...parameters: Parameters<typeof control.open>) =>
    inPhase('recovery', () => control.open(...parameters)),
});
