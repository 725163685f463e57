import { openMedium, openWorkspace } from 'rockpool/workspace';

// In a dedicated worker. The same name opens the same files again.
export async function countNotes(name: string): Promise<number> {
  const workspace = await openWorkspace(await openMedium(name), { name });
  try {
    await workspace.fs.mkdir('/notes', { recursive: true });
    const { length } = await workspace.fs.readdir('/notes');
    await workspace.fs.writeFile(`/notes/${length + 1}.md`, '# A note\n');
    return length + 1;
  } finally {
    await workspace[Symbol.asyncDispose]();
  }
}
