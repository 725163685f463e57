// The files of a conversation in the cloud for the tree and the editor. They follow changes, and edits are written
// there.
import { useEffect, useState } from 'react';
import type { OpenDocument, OpenDocuments, TextDocumentOptions } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';
import type { Conversation } from '../agent/conversation.ts';
import { createFileList } from '../files/file-list.ts';
import type { FileList } from '../files/file-list.ts';

/** `coming`: the conversation hasn't begun, or the files are being loaded. */
export type CloudFiles =
  | { readonly kind: 'coming' }
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'open';
      readonly workspace: TextDocumentOptions['workspace'];
      readonly documents: OpenDocuments;
      readonly list: FileList;
    };

const coming: CloudFiles = { kind: 'coming' };

/** Null if the conversation isn't in the cloud. */
export function useCloudFiles(session: Conversation | null, root: string): CloudFiles | null {
  const [found, setFound] = useState<{ readonly of: Conversation; readonly files: CloudFiles }>();
  useEffect(() => {
    if (!session?.cloud) return;
    let isOver = false;
    let list: FileList | undefined;
    const show = (files: CloudFiles) => {
      if (!isOver) setFound({ of: session, files });
    };
    const fail = (error: unknown) => {
      const message = messageOf(error);
      show({ kind: 'failed', message });
    };
    session.cloud.files().then((workspace) => {
      if (isOver) return;
      list = createFileList(workspace, root, fail);
      show({ kind: 'open', workspace, list, documents: createDocuments() });
    }, fail);
    return () => {
      isOver = true;
      list?.[Symbol.dispose]();
    };
  }, [session, root]);
  if (!session?.cloud) return null;
  return found?.of === session ? found.files : coming;
}

/** Calls in the cloud don't wait for open documents. Typed text is saved after a pause. */
function createDocuments(): OpenDocuments {
  const open = new Set<OpenDocument>();
  return {
    add(document) {
      open.add(document);
      return { [Symbol.dispose]: () => void open.delete(document) };
    },
    paths: () => [...new Set([...open].map(({ path }) => path))],
    flush: async () => void (await Promise.all([...open].map((document) => document.flush()))),
  };
}
