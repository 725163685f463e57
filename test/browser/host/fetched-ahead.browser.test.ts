import { expect, it } from 'vitest';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import workerUrl from './fetched-ahead.worker.ts?worker&url';

it('what is marked is loaded and warmed once the tools are there, and nothing else before its call', async () => {
  const channel = new BroadcastChannel('fetched-ahead');
  const heard: string[] = [];
  const host = await createBrowserHost({
    workspace: `ahead-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { toolWorker: workerUrl },
  });
  try {
    const warmed = new Promise<void>((resolve) => {
      channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
        heard.push(data);
        if (data === 'warmed') resolve();
      });
    });
    expect(heard).toEqual([]);
    await host.loadTools();
    await warmed;
    expect(heard.slice(0, 2)).toEqual(['Large', 'warmed']);
    expect(heard).not.toContain('Small');
  } finally {
    channel.close();
    await host.destroy();
  }
});
