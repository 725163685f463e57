import {
  createBrowserHost,
  createNpm,
  createTextDocument,
  exportZip,
  importZip,
  type BrowserHost,
  type TextBuffer,
} from 'rockpool/browser';

type Tell = (...words: string[]) => void;

/** Shows a picked or dropped folder to the agent. What it changes is written back when it rests. */
export async function openFolder(host: BrowserHost, folder: FileSystemDirectoryHandle, tell: Tell) {
  return host.mount(folder.name, folder, {
    exclude: ['**/node_modules'],
    onState: ({ kind, problems }) => tell(kind, ...problems.map(({ message }) => message)),
  });
}

/** The same for a volume that the page's own LightningFS has under that name. */
export async function openVolume(host: BrowserHost, name: string) {
  return host.mount('volume', { lightningFs: name });
}

/** An editor's text is the person's version: a call sees what is typed, and its edits arrive in the text. */
export function openInEditor(host: BrowserHost, path: string, buffer: TextBuffer, tell: Tell) {
  const document = createTextDocument({
    workspace: host.workspace,
    path,
    buffer,
    onState: ({ kind }) => tell(path, kind),
  });
  host.documents.add(document);
  return document;
}

/** Unpacks a zip in one commit, or says what is wrong with it. */
export async function openZip(host: BrowserHost, zip: Blob) {
  return importZip(host.workspace, zip, { directory: host.cwd });
}

/** The project as a zip, for a link to click. */
export async function saveAsZip({ workspace, cwd }: BrowserHost): Promise<Blob> {
  const zip = exportZip(workspace, { directory: cwd, exclude: ['**/node_modules'] });
  return new Response(zip).blob();
}

/** What package-lock.json has, from the registry that you name. */
export async function installPackages({ workspace, cwd }: BrowserHost, registry: string) {
  return createNpm({ workspace, directory: cwd, registry }).install();
}

/** A host whose git goes by your proxy, and asks the person for a token where a server wants to know who asks. */
export async function openWithGit(
  workspace: string,
  askPerson: (host: string, signal: AbortSignal | undefined) => Promise<string | undefined>,
) {
  return createBrowserHost({
    workspace,
    git: {
      proxy: { url: '/git-proxy' },
      credentials: {
        async credentials(host, { signal }) {
          const token = await askPerson(host, signal);
          return token === undefined ? undefined : { token };
        },
      },
    },
  });
}
