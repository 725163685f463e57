import type { Workspace } from '../../../src/workspace/workspace.ts';

/** The texts of all files of the working directory, by their paths. */
export async function readFiles({ fs }: Pick<Workspace, 'fs'>): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { path } of await fs.walk('/workspace')) {
    const stats = await fs.stat(path);
    if (stats.isFile()) files[path] = await fs.readFile(path, 'utf8');
  }
  return files;
}
