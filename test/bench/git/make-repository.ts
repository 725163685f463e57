// The repositories of the git bench, made by real git. They have sources of a like size in many
// directories, in one pack, with a branch on which 100 files differ.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createRandom, type Random } from '../../support/random.ts';

export interface BenchRepository extends Disposable {
  /** Where real git has it. */
  readonly directory: string;
  readonly files: number;
  /** Of all files of one commit. */
  readonly bytes: number;
}

/** Ten files in a directory, 300 to 2 700 bytes each. */
export function makeRepository(files: number): BenchRepository {
  const directory = mkdtempSync(join(tmpdir(), 'rockpool-git-bench-'));
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: directory });
  git('init', '-q', '-b', 'main');
  const random = createRandom(files);
  let bytes = 0;
  const write = (at: number) => {
    const text = makeSource(random);
    bytes += text.length;
    return `M 100644 inline ${pathOf(at)}\n${data(text)}`;
  };
  const lines = [commit('main', 1, 'One'), ...Array.from({ length: files }, (_, at) => write(at))];
  const whole = bytes;
  lines.push(commit('other', 2, 'Two'), 'from :1\n');
  for (let count = 0; count < 100; count += 1) lines.push(write(count * Math.floor(files / 100)));
  execFileSync('git', ['fast-import', '--quiet'], { cwd: directory, input: lines.join('') });
  git('repack', '-a', '-d', '-q');
  return {
    directory,
    files,
    bytes: whole,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The files of the repository's `.git`, as a page fetches them. */
export function readGitDirectory({ directory }: BenchRepository) {
  const root = join(directory, '.git');
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => lstatSync(path).isFile() && !path.includes('/hooks/'));
  return paths.map((path) => ({ path: relative(directory, path), bytes: readFileSync(path) }));
}

function pathOf(at: number): string {
  const directory = Math.floor(at / 10);
  return `packages/p${directory % 50}/src/d${Math.floor(directory / 50)}/file${at}.ts`;
}

function commit(branch: string, mark: number, message: string): string {
  const who = 'committer A <a@example.org> 1600000000 +0000';
  return `commit refs/heads/${branch}\nmark :${mark}\n${who}\n${data(`${message}\n`)}`;
}

function data(text: string): string {
  return `data ${text.length}\n${text}\n`;
}

function makeSource(random: Random): string {
  const word = () => Math.floor(random.next() * 1e9).toString(36);
  const length = 300 + random.below(2400);
  let text = '';
  while (text.length < length)
    text += `export const ${word()} = ${word()}(${word()}, '${word()}');\n`;
  return text;
}
