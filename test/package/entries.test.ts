/** package.json promises what the tree has: each subpath has a source, and each entry a subpath. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const completesSymbol = "import './core/symbol-dispose.ts';";

describe('package.json', () => {
  it('exports each entry file of src under its own name, and nothing else', () => {
    const entries = readdirSync(join(root, 'src'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.replace('.ts', ''));
    const expected = entries.map((name) => [
      name === 'index' ? '.' : `./${name}`,
      {
        'rockpool-source': `./src/${name}.ts`,
        types: `./dist/${name}.d.ts`,
        default: `./dist/${name}.js`,
      },
    ]);
    expect(manifest.exports).toEqual({
      ...Object.fromEntries(expected),
      './react.css': {
        'rockpool-source': './src/react/react.css',
        default: './dist/react.css',
      },
      './quickjs.wasm': {
        types: './dist/quickjs.wasm.d.ts',
        default: './dist/quickjs.wasm',
      },
      './app-frame.html': {
        'rockpool-source': './src/hosts/browser/app-frame/app-frame.html',
        default: './dist/app-frame.html',
      },
      './package.json': './package.json',
    });
  });

  it('has entry files that are lists of named exports', () => {
    for (const [, target] of Object.entries<{ 'rockpool-source'?: string }>(manifest.exports)) {
      const source = target['rockpool-source'];
      if (!source?.endsWith('.ts')) continue;
      const code = readFileSync(join(root, source), 'utf8')
        .replace(/\/\*[\s\S]*?\*\/|^\/\/.*$/gm, '')
        .replace(/export (type )?\{[^}]*\} from '[^']+';/g, '')
        .replace(completesSymbol, '')
        // A tab's entry holds the portable one whole, and the React half the stores.
        .replace(/export \* from '\.\/(?:index|stores)\.ts';/, '');
      expect([source, code.trim()]).toEqual([source, '']);
    }
  });

  it('has the symbols of disposal before all else wherever a page may load it', () => {
    const elsewhere = ['cloudflare-agents.ts', 'edge.ts', 'server.ts'];
    const entries = readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts'));
    const first = (path: string) =>
      /^(?:import|export)\b.*$/m.exec(readFileSync(join(root, path), 'utf8'))?.[0];
    const pages = entries.filter((name) => !elsewhere.includes(name));
    expect(pages.filter((name) => first(`src/${name}`) !== completesSymbol)).toEqual([]);
    const workers = readdirSync(join(root, 'src/hosts/browser'), {
      recursive: true,
      encoding: 'utf8',
    })
      .filter((name) => name.endsWith('.worker.ts'))
      .map((name) => first(`src/hosts/browser/${name}`));
    expect(new Set(workers)).toEqual(new Set(["import '../../../core/symbol-dispose.ts';"]));
    // Else a bundler would leave it out.
    expect(manifest.sideEffects).toEqual([
      './src/*.ts',
      './src/core/symbol-dispose.ts',
      './dist/core-*.js',
      '**/react.css',
    ]);
  });

  it('pins the tools that are known to work together, and names no registry', () => {
    const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
    expect(lock.includes('"resolved"')).toBe(false);
    const pins = Object.entries<string>(manifest.devDependencies);
    expect(pins.filter(([, version]) => !/^(?:npm:.+@)?\d[^@]*$/.test(version))).toEqual([]);
  });

  it('is an ES module package that bundlers may shake, under a licence that it ships', () => {
    expect(manifest).toMatchObject({ type: 'module', license: 'MIT' });
    expect(existsSync(join(root, 'LICENSE'))).toBe(true);
  });
});
