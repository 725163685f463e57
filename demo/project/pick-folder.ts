// Asks for a folder or a zip of the person's disk. Only its handle (or list of files) is taken here: the
// contents are read in a worker.
import type { ImportableFiles } from 'rockpool/browser';

export interface PickedFolder {
  readonly name: string;
  readonly files: ImportableFiles;
}

interface WithDirectoryPicker {
  showDirectoryPicker(options: { readonly mode: 'read' }): Promise<FileSystemDirectoryHandle>;
}

/** Null when the person closed the picker. Call it from a click: browsers ask for one. */
export async function pickFolder(): Promise<PickedFolder | null> {
  const scope: object = globalThis;
  if (!hasDirectoryPicker(scope)) return pickByInput();
  try {
    const handle = await scope.showDirectoryPicker({ mode: 'read' });
    return { name: handle.name, files: handle };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

/** Null when the person closed the picker. */
export function pickZip(): Promise<File | null> {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.zip,application/zip';
  return new Promise((resolve) => {
    input.addEventListener('cancel', () => resolve(null));
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
    input.click();
  });
}

function hasDirectoryPicker(scope: object): scope is WithDirectoryPicker {
  return 'showDirectoryPicker' in scope;
}

/** For Firefox and Safari, which have no picker. */
function pickByInput(): Promise<PickedFolder | null> {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  return new Promise((resolve) => {
    input.addEventListener('cancel', () => resolve(null));
    input.addEventListener('change', () => {
      const files = [...(input.files ?? [])];
      const name = files[0]?.webkitRelativePath.split('/')[0];
      resolve(name ? { name, files } : null);
    });
    input.click();
  });
}
