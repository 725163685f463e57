// What the inspector of a workerd says of its Worker's isolate. Node only.

/** In bytes. */
export interface IsolateMemory {
  /** V8's heap. */
  readonly heap: number;
  /** Buffers outside of it, memories of wasm among them. */
  readonly buffers: number;
}

/** Of the Worker that is the user's. `url`: of the inspector. */
export async function readIsolateMemory({ host }: URL): Promise<IsolateMemory> {
  const targets = (await (await fetch(`http://${host}/json`)).json()) as readonly {
    readonly id: string;
    readonly webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ id }) => id.startsWith('core:user'));
  if (!target) throw new Error('The inspector names no Worker.');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('The inspector let nobody in.')));
    });
    const answer = new Promise<Readonly<Record<string, number>>>((resolve, reject) => {
      socket.addEventListener('message', ({ data }) => {
        const { id, result } = JSON.parse(String(data)) as { id: number; result: never };
        if (id === 1) resolve(result);
      });
      socket.addEventListener('close', () => reject(new Error('The inspector has left.')));
    });
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' }));
    const { usedSize = 0, backingStorageSize = 0 } = await answer;
    return { heap: usedSize, buffers: backingStorageSize };
  } finally {
    socket.close();
  }
}
