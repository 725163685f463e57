// Creates the Workspace that hosts use from a writer, with views for calls on the same thread.
import type { WorkspaceAddress } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import { createContentEra, type ContentEra } from '../state/content-era.ts';
import { createDraftView } from '../draft/draft-view.ts';
import { liveContents } from '../state/live-contents.ts';
import { shownRootOf } from '../state/session-roots.ts';
import type { ViewSource, WorkspaceView } from '../draft/view.ts';
import type { Workspace } from '../workspace.ts';
import { createViewlessWorkspace } from './viewless-workspace.ts';
import type { WriterPort } from './writer-port.ts';

/** Owns the writer: disposing of the workspace closes it. */
export function createWriterWorkspace(writer: WriterPort): Workspace & ViewSource {
  let ending = new AbortController();
  let era = beginEra();
  const forgetting = writer.onJump?.(() => {
    // Begins a new era. Open views keep the old one, in which their content ids stay valid.
    ending.abort();
    ending = new AbortController();
    era = beginEra();
  });
  function beginEra(): ContentEra {
    const { signal } = ending;
    const era = createContentEra(signal, () =>
      signal.aborted ? new Map() : liveContents(writer.state),
    );
    // After a jump the writer may have another log, with other contents under the same ids. In
    // memory no index is kept.
    const { contents } = writer;
    const { savedIndex, saveIndex } = contents;
    if (writer.onJump || !writer.info().isPersistent || !savedIndex || !saveIndex) return era;
    let isTaken = false;
    return {
      ...era,
      takeIndex() {
        if (isTaken) return undefined;
        isTaken = true;
        return savedIndex.call(contents);
      },
      saveIndex: (index) => saveIndex.call(contents, index),
    };
  }
  return {
    ...createViewlessWorkspace(writer),
    openView: async (address, access) => openWriterView(writer, era, address, access),
    [Symbol.asyncDispose]: () => {
      forgetting?.[Symbol.dispose]();
      ending.abort();
      return writer.close();
    },
  };
}

function openWriterView(
  writer: WriterPort,
  era: ContentEra,
  address: WorkspaceAddress,
  access: PathAccess,
): WorkspaceView {
  if (address.minSeq > writer.seq) {
    // On the writer's own thread records arrive at once, so no commit with such a number was
    // acknowledged.
    throw new SdkError(
      'invalid-input',
      `Record ${address.minSeq} doesn't exist; the workspace is at ${writer.seq}.`,
      { data: { minSeq: address.minSeq, seq: writer.seq } },
    );
  }
  return createDraftView({
    root: shownRootOf(writer.state, address.root),
    seq: writer.seq,
    contents: writer.contents,
    access,
    era,
  });
}
