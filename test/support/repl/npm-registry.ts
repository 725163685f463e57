// A registry on loopback with packages that a test makes, as npm's own answers: packuments and tarballs.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

export interface MadePackage {
  readonly name: string;
  readonly version: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Gives other bytes at a path from now on. */
  replace(path: string, bytes: Uint8Array): void;
}

export async function startNpmRegistry(packages: readonly MadePackage[]): Promise<NpmRegistry> {
  const answers = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').toLowerCase();
    asked.push(path);
    const answer = answers.get(path);
    response.writeHead(answer ? 200 : 404).end(answer ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const packuments = new Map<string, Record<string, unknown>>();
  for (const { files = {}, ...manifest } of packages) {
    const { name, version } = manifest;
    const texts = {
      'package.json': JSON.stringify(manifest),
      'index.js': `exports.is = '${name}@${version}';\n`,
      ...files,
    };
    const tar = await packTar(
      Object.entries(texts).map(([path, text]) => ({
        header: {
          name: `package/${path}`,
          size: text.length,
          mode: path.endsWith('.sh') ? 0o755 : 0o644,
        },
        body: text,
      })),
    );
    const tarball = gzipSync(tar);
    const path = `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
    answers.set(`/${path}`, tarball);
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const versions = packuments.get(name) ?? {};
    versions[version] = { ...manifest, dist: { tarball: url + path, integrity } };
    packuments.set(name, versions);
  }
  for (const [name, versions] of packuments) {
    const latest = Object.keys(versions).at(-1);
    const packument = { name, versions, 'dist-tags': { latest } };
    answers.set(`/${name}`, Buffer.from(JSON.stringify(packument)));
  }
  return {
    url,
    asked,
    replace: (path, bytes) => void answers.set(path, bytes),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
