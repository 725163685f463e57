// A tool worker whose tools tell when they are loaded.
import { serveTools, type WorkerTool } from 'rockpool/serve-tools';

const channel = new BroadcastChannel('fetched-ahead');

const tool: WorkerTool = {
  inputSchema: { safeParse: (data) => ({ success: true, data: data as object }) },
  handler: async () => 'done',
  warm: async () => channel.postMessage('warmed'),
};

const load = (name: string) => async () => {
  channel.postMessage(name);
  return tool;
};

serveTools([
  { name: 'Large', isFetchedAhead: true, load: load('Large') },
  { name: 'Small', load: load('Small') },
]);
