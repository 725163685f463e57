// Lets the person choose a folder or a zip of the disk. Returns only its handle or its list of files.
import type { ImportableFiles } from 'rockpool/browser';

/** A folder with a handle can be read and changed; a list of files can only be copied. */
export type PickedFolder =
  | { readonly kind: 'handle'; readonly name: string; readonly handle: FileSystemDirectoryHandle }
  | { readonly kind: 'files'; readonly name: string; readonly files: ImportableFiles };

interface WithDirectoryPicker {
  showDirectoryPicker(options: { readonly mode: 'readwrite' }): Promise<FileSystemDirectoryHandle>;
}

/** Null if the person closed the picker. Call it from a click, which browsers require. */
export async function pickFolder(): Promise<PickedFolder | null> {
  const scope: object = globalThis;
  if (!hasDirectoryPicker(scope)) return pickByInput();
  try {
    const handle = await scope.showDirectoryPicker({ mode: 'readwrite' });
    return { kind: 'handle', name: handle.name, handle };
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

/** True if the browser has a folder picker. In other browsers a folder is copied. */
export function hasFolderPicker(): boolean {
  return hasDirectoryPicker(globalThis);
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
      resolve(name ? { kind: 'files', name, files } : null);
    });
    input.click();
  });
}
