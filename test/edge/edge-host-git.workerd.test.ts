// An isolate's git, where there is no Node: commands on its files, and a server that wants to know who asks.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEdgeHost } from '../../src/edge.ts';

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
const nobody = '0'.repeat(40);

/** An empty repository, as a server of git shows it to whoever has the header. What is pushed is taken. */
function serveEmpty(header: string, pushed: Request[]): typeof fetch {
  return async (target, init) => {
    const request = new Request(target, init);
    if (request.headers.get('authorization') !== header) return new Response('', { status: 401 });
    const { pathname, searchParams } = new URL(request.url);
    const service = searchParams.get('service') ?? pathname.split('/').at(-1) ?? '';
    if (request.method === 'GET') {
      const abilities = `${nobody} capabilities^{}\0report-status delete-refs ofs-delta side-band-64k`;
      const body = `${line(`# service=${service}\n`)}0000${line(`${abilities}\n`)}0000`;
      return answer(`application/x-${service}-advertisement`, body);
    }
    pushed.push(request);
    const report = `${line('unpack ok\n')}${line('ok refs/heads/main\n')}0000`;
    return answer(`application/x-${service}-result`, `${line(`\u0001${report}`)}0000`);
  };
}

function answer(type: string, body: string): Response {
  return new Response(body, { headers: { 'content-type': type } });
}

afterEach(() => void vi.unstubAllGlobals());

describe("the edge host's git in workerd", () => {
  it('clones, commits and pushes with credentials by option', async () => {
    const pushed: Request[] = [];
    const header = `Basic ${btoa('ann:secret')}`;
    vi.stubGlobal('fetch', serveEmpty(header, pushed));
    const host = await createEdgeHost({
      wasm,
      git: {
        author: { name: 'Ann', email: 'ann@example.org' },
        credentials: {
          credentials: () => Promise.resolve({ username: 'ann', password: 'secret' }),
        },
      },
    });
    const { git, workspace, cwd } = host;
    const url = 'https://git.example.org/ann/empty.git';
    expect(await git.clone(url, { directory: '.' })).toMatchObject({ head: null, files: 0 });
    await workspace.fs.writeFile(`${cwd}/a.txt`, 'a\n');
    await git.add('.');
    const { oid } = await git.commit({ message: 'first' });
    expect(await git.push()).toMatchObject({ ref: 'refs/heads/main', after: oid });
    expect(pushed).toHaveLength(1);
    expect((await git.status()).files).toEqual([]);
    expect((await git.log()).map(({ message }) => message)).toEqual(['first\n']);
    await host[Symbol.asyncDispose]();
  });
});
